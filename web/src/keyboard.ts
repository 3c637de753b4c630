// Keys, wherever the focus is, except where the reader writes or chooses.

export type Keys = Record<string, () => void>;

/** True where the key belongs to the control that has the focus. */
export function belongsTo(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A dialog keeps the focus for a moment after it is closed: until the next picture is drawn.
  const dialog = target.closest('dialog');
  if (dialog) return dialog.open;
  if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLInputElement) {
    // The slider would step by fractions of a visit; left and right are better at it.
    if (target.type === 'range') return false;
    return target.type !== 'checkbox' || key === ' ';
  }
  return target instanceof HTMLButtonElement && (key === ' ' || key === 'Enter');
}

export function listenToKeys(keys: Keys): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && event.target instanceof HTMLInputElement) return event.target.blur();
    const action = keys[event.key];
    if (!action || belongsTo(event.target, event.key)) return;
    event.preventDefault();
    action();
  });
}
