/** Puts a text on the clipboard; false where the browser does not allow it. */
export async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  // Browsers offer the clipboard to pages over TLS and from this machine only; consoles also run on plain addresses.
  if (!window.isSecureContext) return copyBySelection(text, near)
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Refused by a permission: the old way needs none.
    return copyBySelection(text, near)
  }
}

function copyBySelection(text: string, near: HTMLElement): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.style.position = 'fixed'
  area.style.opacity = '0'
  // Beside what was pressed, or a dialog would take the focus back before anything is copied.
  const parent = near.parentElement ?? document.body
  parent.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  near.focus()
  return done
}
