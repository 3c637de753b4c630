// Debian's chromium, driven by playwright-core.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

function find(): string | null {
  try {
    return execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

export const kChromium = find();
if (!kChromium) {
  const text = 'chromium is not installed (apt-get install chromium)';
  // The build's own tests, which name the program, come after scripts/install-deps: nothing may be missing then.
  if (process.env.AGENTNET_PROGRAM) throw new Error(text);
  console.warn(`browser tests are skipped: ${text}`);
}

export function launch(): Promise<Browser> {
  mkdirSync('test-output', { recursive: true });
  // Software WebGL: test machines have no graphics card.
  return chromium.launch({
    executablePath: kChromium!,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
}

export interface OpenOptions {
  width?: number;
  height?: number;
  dark?: boolean;
}

export interface Opened {
  page: Page;
  complaints: string[]; // errors of the page, and requests to other places than its own: there must be none
  requests: string[]; // over the network
}

export async function openUrl(
  browser: Browser,
  url: string,
  { width = 1280, height = 800, dark = false }: OpenOptions = {},
): Promise<Opened> {
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('request', (request) => {
    if (!/^(https?|ws):/.test(request.url())) return;
    requests.push(request.url());
    if (!request.url().startsWith(url)) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector('header h1, .failure');
  return { page, complaints, requests };
}

/** Opens a page of dist/ from its file. */
export function open(browser: Browser, name: string, options: OpenOptions = {}): Promise<Opened> {
  return openUrl(browser, `file://${resolve('dist', name)}`, options);
}

export function shot(page: Page, name: string): Promise<Buffer> {
  return page.screenshot({ path: `test-output/${name}.png` });
}
