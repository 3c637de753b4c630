// Light or dark: what the system says, until the reader says otherwise. The page's head has set it before anything was drawn.

const kKey = 'agentnet-theme';

export function isDark(): boolean {
  return document.documentElement.dataset.theme === 'dark';
}

function stored(): string | null {
  try {
    return localStorage.getItem(kKey);
  } catch {
    return null; // some browsers keep nothing for files
  }
}

export function setDark(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  try {
    localStorage.setItem(kKey, dark ? 'dark' : 'light');
  } catch {
    // Then the choice lasts as long as the page.
  }
}

/** Follows the system as long as nothing was chosen. */
export function followSystem(changed: () => void): void {
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => {
    if (stored() !== null) return;
    document.documentElement.dataset.theme = event.matches ? 'dark' : 'light';
    changed();
  });
}
