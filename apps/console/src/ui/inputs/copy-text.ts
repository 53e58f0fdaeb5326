/** Copies a text to the clipboard; false where the browser refuses. */
export async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  // Browsers allow the clipboard over TLS and on localhost only; consoles also run on plain addresses.
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
  // Next to the pressed button, or a dialog would take the focus back before the copy.
  const parent = near.parentElement ?? document.body
  parent.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  near.focus()
  return done
}
