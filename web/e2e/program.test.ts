// Pages that the built program made: exported by train and by view, and served. AGENTNET_PROGRAM names the program.

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseData, type Data } from '../src/data';
import { kChromium, launch, openUrl, shot } from './browser';

const kProgram = process.env.AGENTNET_PROGRAM;
if (!kProgram) console.warn('tests of the real program are skipped: AGENTNET_PROGRAM does not name it');

const run = promisify(execFile);
const time = (page: Page) => page.locator('.scrub').evaluate((slider: HTMLInputElement) => Number(slider.value));
const count = (page: Page) => page.locator('.count').innerText();

/** The data in an exported page, through the checks of the page itself. */
function dataOf(file: string): Data {
  const json = /<script type="application\/json" id="agentnet-data">(.*?)<\/script>/s.exec(
    readFileSync(file, 'utf8'),
  )![1]!;
  return parseData(json);
}

/** Plays, scrubs, filters and colours, whatever the data. */
async function tryOut(page: Page, name: string): Promise<void> {
  const steps = Number(await page.locator('.scrub').getAttribute('max'));
  await page.getByLabel('speed').selectOption('12');
  await page.getByRole('button', { name: 'play', exact: true }).click();
  await expect.poll(() => page.locator('.clock').innerText(), { timeout: 60_000 }).toBe(`${steps} / ${steps}`);
  await page.locator('.scrub').fill(String(steps / 2));
  await expect.poll(() => time(page)).toBe(steps / 2);
  await shot(page, `${name}-scrubbed`);

  const all = Number((await count(page)).split(' ')[0]);
  let sum = 0;
  for (const answer of ['right', 'wrong']) {
    await page.getByLabel('right or wrong').selectOption(answer);
    sum += Number((await count(page)).split(' ')[0]);
  }
  expect(sum).toBe(all);
  await page.getByRole('button', { name: 'clear filters' }).click();

  for (const [key, colouring] of [
    ['1', 'visits'],
    ['2', 'chance'],
    ['3', 'influence'],
    ['4', 'label'],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => page.locator(`[data-colouring=${colouring}]`).getAttribute('aria-pressed')).toBe('true');
    await expect.poll(() => page.locator('.legend').innerText()).not.toBe('');
  }
  await page.keyboard.press('3');
  await shot(page, `${name}-influence`);
  await page.getByRole('tab', { name: 'Model' }).click();
  await expect.poll(() => page.locator('.confusion').isVisible()).toBe(true);
  await shot(page, `${name}-model`);
  await page.getByRole('tab', { name: 'Graphs' }).click();
}

describe.skipIf(!kChromium || !kProgram)('the real program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentnet-e2e-'));
  const trained = join(folder, 'run');
  const program = resolve('..', kProgram ?? '');
  let browser: Browser;

  beforeAll(async () => {
    await run(program, [
      'train',
      'synthetic:motif?graphs=120',
      '-o',
      trained,
      '--epochs',
      '4',
      '--hidden',
      '16',
      '--agents',
      '6',
      '--steps',
      '8',
    ]);
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('train leaves a report in its folder that opens from its file', async () => {
    const file = join(trained, 'report.html');
    const data = dataOf(file);
    expect(data.training?.epochs.length).toBe(4);
    expect(data.details.length).toBeGreaterThan(5);
    expect(Object.keys(data.evaluation!.baselines).length).toBe(2);
    expect(data.details.some((detail) => detail.nodes.marks!.includes(1))).toBe(true); // the planted motif
    const { page, complaints } = await openUrl(browser, `file://${file}`);
    await expect.poll(() => count(page)).toBe(`${data.graphs.length} graphs`);
    await shot(page, 'real-report');
    await tryOut(page, 'real-report');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('view exports the part that it is asked for, and replaces nothing unasked', async () => {
    const file = join(folder, 'page.html');
    await run(program, ['view', trained, '--part', 'train', '--walks', '5', '--export', file]);
    const data = dataOf(file);
    expect(data.title).toContain('train part');
    expect(data.details.length).toBe(5);
    await expect(run(program, ['view', trained, '--export', file])).rejects.toMatchObject({ code: 2 });
    const { page, complaints } = await openUrl(browser, `file://${file}`, { dark: true });
    await tryOut(page, 'real-export-dark');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('view serves the page until it is told to stop', async () => {
    const server: ChildProcess = spawn(program, ['view', trained, '--port', '0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = new Promise<number | null>((done) => server.on('exit', (code) => done(code)));
    try {
      const address = await new Promise<string>((found, failed) => {
        let said = '';
        server.stderr!.on('data', (text) => {
          said += text;
          const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(said);
          if (address) found(address[0]);
        });
        void ended.then(() => failed(new Error(`it ended before it served: ${said}`)));
      });
      const { page, complaints, requests } = await openUrl(browser, address, { width: 1440, height: 900 });
      await page.waitForSelector('.row.chosen');
      await shot(page, 'real-served');
      await tryOut(page, 'real-served');
      expect(requests.map((url) => new URL(url).pathname)).toEqual(['/', '/data.json']);
      expect(complaints).toEqual([]);
      await page.close();
    } finally {
      server.kill('SIGINT');
    }
    expect(await ended).toBe(0);
  });

  it('theory show makes a page on which programmed agents replay', async () => {
    for (const claim of ['trees', 'cliques', 'random-walk']) {
      const file = join(folder, `${claim}.html`);
      await run(program, ['theory', 'show', claim, '-o', file]);
      const data = dataOf(file);
      expect(data.model.programmed).toBe(true);
      const { page, complaints } = await openUrl(browser, `file://${file}`);
      await expect.poll(() => count(page)).toBe(`${data.graphs.length} graph${data.graphs.length === 1 ? '' : 's'}`);
      await expect.poll(() => page.locator('.row.chosen .id').innerText()).toBe(data.graphs[0]!.id);
      const steps = data.details[0]!.rollouts[0]!.outputs.length - 1;
      expect(Number(await page.locator('.scrub').getAttribute('max'))).toBe(steps);
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => time(page)).toBe(2);
      await expect.poll(() => page.locator('.now').innerText()).toContain('nodes visited after visit 2');
      await shot(page, `real-theory-${claim}`);
      expect(await page.locator('header').innerText()).not.toContain('parameters');
      expect(await page.locator('.prediction').innerText()).not.toMatch(/predicted|error/);
      await page.getByRole('tab', { name: 'Claim' }).click();
      await expect.poll(() => page.locator('.model-tab').innerText()).toContain('Nothing here is learned');
      await shot(page, `real-theory-${claim}-claim`);
      expect(complaints).toEqual([]);
      await page.close();
    }
  });

  it('explain makes such a page, too', async () => {
    const out = join(folder, 'why');
    await run(program, [
      'explain',
      join(trained, 'model.safetensors'),
      'synthetic:motif?graphs=4',
      '--format',
      'html',
      '-o',
      out,
    ]);
    const file = join(out, 'page.html');
    expect(existsSync(file)).toBe(true);
    expect(dataOf(file).details.length).toBe(4);
    const { page, complaints } = await openUrl(browser, `file://${file}`);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => time(page)).toBe(1);
    await shot(page, 'real-explain');
    expect(complaints).toEqual([]);
    await page.close();
  });
});
