import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kExamples, make } from '../fixtures/make';
import type { Stage } from '../src/stage';
import { kChromium, launch, open, shot } from './browser';

type Console = { agentnet: { stage: Stage } };

const time = (page: Page) => page.locator('.scrub').evaluate((slider: HTMLInputElement) => Number(slider.value));
const chosen = (page: Page) => page.locator('.row.chosen .id').innerText();
const count = (page: Page) => page.locator('.count').innerText();
const picture = (page: Page) => page.locator('.stage').screenshot();

describe.skipIf(!kChromium)('the exported page', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await launch()));
  afterAll(() => browser?.close());

  it('opens from its file, asks for nothing, and shows the most confidently wrong graph', async () => {
    const { page, complaints } = await open(browser, 'example.html');
    await expect.poll(() => page.title()).toContain('molecules');
    await expect.poll(() => count(page)).toBe('188 graphs');
    await expect.poll(() => page.locator('.badge').innerText()).toContain('wrong');
    await expect.poll(() => page.locator('.row').count()).toBeLessThan(60);
    await shot(page, 'graphs-1280');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('plays to the end, pauses, and steps', async () => {
    const { page } = await open(browser, 'example.html');
    await page.getByLabel('speed').selectOption('12');
    await page.getByRole('button', { name: 'play', exact: true }).click();
    await page.waitForFunction(() => document.querySelector('.clock')?.textContent === '12 / 12');
    await expect.poll(() => page.getByRole('button', { name: 'play', exact: true }).count()).toBe(1); // it has stopped by itself
    await page.locator('body').press('ArrowLeft');
    await expect.poll(() => time(page)).toBe(11);
    // Slowly from the beginning: it must not come to its end by itself before the second key is pressed.
    await page.getByLabel('speed').selectOption('0.5');
    await page.locator('.scrub').fill('0');
    await page.locator('.stage').click({ position: { x: 5, y: 5 } });
    await page.keyboard.press('Space');
    await expect.poll(() => page.getByRole('button', { name: 'pause', exact: true }).count()).toBe(1);
    await page.keyboard.press('Space');
    await expect.poll(() => page.getByRole('button', { name: 'play', exact: true }).count()).toBe(1);
    const stopped = await time(page);
    await page.waitForTimeout(300);
    expect(await time(page)).toBe(stopped);
    await page.close();
  });

  it('plots numbers over their truth, and a dot leads to its graph', async () => {
    const { page, complaints } = await open(browser, 'regression.html');
    await page.keyboard.press('m');
    await expect
      .poll(() => page.locator('.card h2').allInnerTexts())
      .toEqual(['model', 'scores', 'predicted and true', 'errors', 'training']);
    const dot = page.locator('.card', { hasText: 'predicted and true' }).locator('circle.dot').nth(3);
    const name = (await dot.locator('title').textContent())!.split(':')[0]!;
    await dot.dispatchEvent('click');
    await expect.poll(() => page.locator('.prediction h2').innerText()).toContain(name);
    await expect.poll(() => page.locator('body').innerText()).not.toContain('±');
    await shot(page, 'regression-1280');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('scrubs: slider and chart move the agents and the answer', async () => {
    const { page } = await open(browser, 'example.html');
    const before = await picture(page);
    await page.locator('.scrub').fill('6.5');
    await expect.poll(() => page.locator('.clock').innerText()).toBe('6 / 12');
    await expect.poll(() => page.locator('.now').innerText()).toContain('after visit 6');
    await expect.poll(async () => (await picture(page)).equals(before)).toBe(false);
    await shot(page, 'scrubbed');
    const box = (await page.locator('.chart.pick').boundingBox())!;
    await page.mouse.click(box.x + box.width - 10, box.y + 40);
    await expect.poll(() => time(page)).toBeGreaterThan(11);
    await page.close();
  });

  it('filters, searches, sorts and says so', async () => {
    const { page } = await open(browser, 'example.html');
    await page.getByLabel('right or wrong').selectOption('right');
    const right = Number((await count(page)).split(' ')[0]);
    await page.getByLabel('right or wrong').selectOption('wrong');
    const wrong = Number((await count(page)).split(' ')[0]);
    expect(right + wrong).toBe(188);
    await page.getByRole('button', { name: 'clear filters' }).click();
    await page.getByLabel('search ids').fill('graph12');
    await expect.poll(() => count(page)).toBe('11 of 188 graphs');
    await page.getByLabel('search ids').fill('nothing like it');
    await expect.poll(() => page.locator('.rows .empty').innerText()).toContain('No graph passes');
    await page.getByLabel('search ids').fill('');
    await page.getByLabel('sort by').selectOption('id');
    // The chosen graph stays in sight, wherever that is in the list.
    const ids = (await page.locator('.row .id').allInnerTexts()).map((id) => Number(id.slice('graph'.length)));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    await expect.poll(() => page.locator('.row.chosen').isVisible()).toBe(true);
    await page.close();
  });

  it('colours by each of the four, from keys and buttons, with a legend', async () => {
    const { page } = await open(browser, 'example.html');
    const titles: string[] = [];
    for (const [key, name] of [
      ['1', 'visits'],
      ['2', 'chance'],
      ['3', 'influence'],
      ['4', 'label'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => page.locator(`[data-colouring=${name}]`).getAttribute('aria-pressed')).toBe('true');
      // Drawn with the next picture, whenever that is.
      await expect.poll(() => page.locator('.legend').innerText()).not.toBe(titles.at(-1));
      titles.push(await page.locator('.legend').innerText());
      await shot(page, `colour-${name}`);
    }
    expect(new Set(titles).size).toBe(4);
    await page.close();
  });

  it('a click on the confusion matrix filters the list', async () => {
    const { page } = await open(browser, 'example.html');
    await page.getByRole('tab', { name: 'Model' }).click();
    await shot(page, 'model-1280');
    const cell = page.locator('.confusion tbody tr:nth-child(2) td:nth-of-type(1) button');
    const counted = await cell.innerText();
    await cell.click();
    await expect.poll(() => count(page)).toBe(`${counted} of 188 graphs`);
    await expect.poll(() => page.getByLabel('true class').inputValue()).toBe('1');
    await page.close();
  });

  it('keys: graphs, agents, rollouts, help; and keys stay out of text fields', async () => {
    const { page } = await open(browser, 'example.html');
    const first = await chosen(page);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => chosen(page)).not.toBe(first);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => chosen(page)).toBe(first);
    await page.keyboard.press('a');
    await expect.poll(() => page.getByLabel('follow').inputValue()).toBe('0');
    await page.keyboard.press('r');
    await expect.poll(() => page.getByLabel('rollout', { exact: true }).inputValue()).toBe('1');
    await page.keyboard.press('f');
    await page.keyboard.press('?');
    await expect.poll(() => page.locator('dialog.help').isVisible()).toBe(true);
    await shot(page, 'help');
    await page.keyboard.press('Escape');
    await page.locator('dialog.help').waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    await page.keyboard.type('d4?');
    await expect.poll(() => page.getByLabel('search ids').inputValue()).toBe('d4?');
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('light');
    await page.close();
  });

  it('hears the key that comes right after the help is closed', async () => {
    const { page } = await open(browser, 'example.html');
    await page.keyboard.press('?');
    await expect.poll(() => page.locator('dialog.help').isVisible()).toBe(true);
    const focused = await page.evaluate(() => {
      document.querySelector<HTMLDialogElement>('dialog.help')!.close();
      // No picture was drawn since: the focus is still on the dialog's button.
      document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }));
      return document.activeElement!.getAttribute('aria-label');
    });
    expect(focused).toBe('search ids');
    await page.close();
  });

  it('points at an agent: its candidates; a click follows it', async () => {
    const { page } = await open(browser, 'example.html');
    await page.locator('.scrub').fill('3');
    const box = (await page.locator('.stage').boundingBox())!;
    // Where it is now: the layout may still be moving.
    const place = async () => {
      const at = await page.evaluate(() => (window as unknown as Console).agentnet.stage.agentPlace(2)!);
      return [box.x + at.x, box.y + at.y] as const;
    };
    await expect
      .poll(async () => {
        await page.mouse.move(...(await place()));
        return page.locator('.tip').innerText();
      })
      .toContain('where it may go in move 4');
    await shot(page, 'tooltip');
    await expect
      .poll(async () => {
        await page.mouse.click(...(await place()));
        return page.getByLabel('follow').inputValue();
      })
      .toBe('2');
    await page.close();
  });

  it('is dark where the system is, and switches', async () => {
    const { page } = await open(browser, 'example.html', { dark: true, width: 1920, height: 1080 });
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.locator('.scrub').fill('5');
    await page.keyboard.press('3');
    await page.waitForTimeout(200);
    await shot(page, 'dark-1920');
    await page.keyboard.press('m');
    await shot(page, 'dark-model-1920');
    await page.getByRole('button', { name: 'light colours' }).click();
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('light');
    await page.close();
  });

  it('fits a narrow window', async () => {
    const { page } = await open(browser, 'example.html', { width: 800, height: 900 });
    await page.locator('.scrub').fill('4');
    await page.waitForTimeout(200);
    await shot(page, 'narrow-800');
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(800);
    await page.keyboard.press('m');
    await shot(page, 'narrow-model-800');
    await page.close();
  });

  it('shows 5,000 nodes with WebGL and walks over them', async () => {
    const { page, complaints } = await open(browser, 'large.html');
    await page.waitForSelector('.graph-webgl canvas');
    await page.waitForTimeout(4000);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => time(page)).toBe(1);
    await page.locator('.scrub').fill('6');
    await page.keyboard.press('a');
    await page.waitForTimeout(500);
    await shot(page, 'large-5000');
    await page.keyboard.press('2');
    await page.keyboard.press('Escape');
    await page.waitForTimeout(500);
    await shot(page, 'large-5000-chance');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('other tasks and empty states', async () => {
    for (const name of ['regression', 'multilabel', 'plain']) {
      const { page, complaints } = await open(browser, `${name}.html`);
      await page.keyboard.press('ArrowRight');
      await page.waitForTimeout(200);
      await shot(page, name);
      await page.keyboard.press('m');
      await shot(page, `${name}-model`);
      if (name === 'plain') {
        await expect
          .poll(() => page.locator('.model-tab').innerText())
          .toContain('made from a model file, without its run');
        await page.keyboard.press('m');
        await page.getByLabel('sort by').selectOption('id');
        await page.locator('.row.bare').first().click();
        await expect.poll(() => page.locator('.stage-empty').innerText()).toContain('No walk was recorded');
        await shot(page, 'plain-no-walk');
      }
      expect(complaints).toEqual([]);
      await page.close();
    }
  });

  it('says what is wrong with its data', async () => {
    const viewer = readFileSync('dist/viewer.html', 'utf8');
    const bad: [string, string][] = [
      ['{"version": 2}', 'version 1'],
      ['{"version": 1', 'no JSON'],
      ['__AGENTNET_' + 'DATA__', 'holds no data'],
    ];
    for (const [json, message] of bad) {
      writeFileSync(
        'dist/bad.html',
        viewer.replace('__AGENTNET_DATA__', () => json),
      );
      const { page } = await open(browser, 'bad.html');
      await expect.poll(() => page.locator('.failure').innerText()).toContain(message);
      await page.close();
    }
  });

  it('texts of the data stay texts', async () => {
    const data = make(kExamples.plain!);
    data.graphs[0]!.id = '</script><img src=x onerror=document.title=1><!--<script>';
    data.title = '<b>bold</b>';
    const json = JSON.stringify(data).replaceAll('<', '\\u003c');
    writeFileSync(
      'dist/bad.html',
      readFileSync('dist/viewer.html', 'utf8').replace('__AGENTNET_DATA__', () => json),
    );
    const { page, complaints } = await open(browser, 'bad.html');
    await expect.poll(() => page.locator('header h1').innerText()).toBe('<b>bold</b>');
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe.skipIf(!kChromium)('the served page', () => {
  let browser: Browser;
  let server: Server;
  beforeAll(async () => {
    browser = await launch();
    server = createServer((request, response) => {
      if (request.url === '/')
        return void response.setHeader('content-type', 'text/html').end(readFileSync('dist/viewer.html'));
      if (request.url === '/data.json')
        return void response.setHeader('content-type', 'application/json').end(JSON.stringify(make(kExamples.plain!)));
      response.writeHead(404).end();
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it('asks for data.json and nothing else', async () => {
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on('request', (request) => request.url().startsWith('http') && asked.push(new URL(request.url()).pathname));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForSelector('.row.chosen');
    expect(asked).toEqual(['/', '/data.json']);
    await page.close();
  });
});
