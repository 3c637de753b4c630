import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const kToken = '__AGENTNET_DATA__';
const kLimit = 300_000; // bytes

/** Puts script and style into the page, so that it is one file, and checks what the C++ program relies on. */
function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = Object.values(bundle).find((file) => file.fileName.endsWith('.html'));
      if (page?.type !== 'asset') throw new Error('no page was built');
      let html = String(page.source)
        .replace(/<script type="module"[^>]*><\/script>\s*/g, '')
        .replace(/<link rel="stylesheet"[^>]*>\s*/g, '');
      for (const file of Object.values(bundle)) {
        if (file === page) continue;
        // Functions, since $ means something in a replacement text.
        if (file.type === 'chunk') {
          // At the end of the body: the data stands above it.
          const code = file.code.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
          html = html.replace('</body>', () => `<script type="module">${code}</script>\n</body>`);
        } else if (file.fileName.endsWith('.css')) {
          html = html.replace('</head>', () => `<style>${file.source}</style>\n</head>`);
        }
        delete bundle[file.fileName];
      }
      if (html.split(kToken).length !== 2) throw new Error(`the page must hold ${kToken} exactly once`);
      const size = Buffer.byteLength(html);
      if (size > kLimit) throw new Error(`the page has ${size} bytes, more than ${kLimit}`);
      page.source = html;
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  build: {
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 1 << 20,
    rollupOptions: { input: 'viewer.html' },
    emptyOutDir: false, // examples live beside it
  },
  // Pure functions: one thread for all of them starts fastest.
  test: { include: ['test/**/*.test.ts'], pool: 'threads', isolate: false, fileParallelism: false },
});
