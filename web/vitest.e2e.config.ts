import { defineConfig } from 'vitest/config';

// One file after the other, and patience: the machines that run this are small.
export default defineConfig({
  test: {
    include: ['e2e/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 100 } },
  },
});
