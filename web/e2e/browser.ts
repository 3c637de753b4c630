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
if (!kChromium) console.warn('browser tests are skipped: chromium is not installed (apt-get install chromium)');

export function launch(): Promise<Browser> {
  mkdirSync('test-output', { recursive: true });
  // Software WebGL: test machines have no graphics card.
  return chromium.launch({ executablePath: kChromium!, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
}

export interface OpenOptions {
  width?: number;
  height?: number;
  dark?: boolean;
}

export interface Opened {
  page: Page;
  complaints: string[]; // errors of the page, and requests: there must be none
}

/** Opens a page of dist/ from its file. */
export async function open(browser: Browser, name: string, { width = 1280, height = 800, dark = false }: OpenOptions = {}): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light' });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('request', (request) => /^(https?|ws):/.test(request.url()) && complaints.push(`request: ${request.url()}`));
  await page.goto(`file://${resolve('dist', name)}`);
  await page.waitForSelector('header h1, .failure');
  return { page, complaints };
}

export function shot(page: Page, name: string): Promise<Buffer> {
  return page.screenshot({ path: `test-output/${name}.png` });
}
