import { useCallback, useEffect, useRef, useState } from 'react'

/** A text shared by this computer and the machine. */
export interface SharedClipboard {
  text: string
  /** The machine has copied a text. */
  take: (text: string) => void
  /** Sets the machine's clipboard. */
  give: (text: string) => void
}

/** Synchronizes both clipboards where the browser allows a page to access this computer's. */
export function useClipboard(send: (text: string) => void): SharedClipboard {
  const [text, setText] = useState('')
  const last = useRef('')
  const latestSend = useRef(send)
  useEffect(() => {
    latestSend.current = send
  })
  const take = useCallback((copied: string) => {
    last.current = copied
    setText(copied)
    // Refused while another window has the focus; the text is shown under Clipboard anyway.
    navigator.clipboard?.writeText(copied).catch(() => undefined)
  }, [])
  const give = useCallback((given: string) => {
    last.current = given
    setText(given)
    latestSend.current(given)
  }, [])
  useEffect(() => {
    const onFocus = async () => {
      const copied = await readIfAllowed()
      if (copied !== undefined && copied !== '' && copied !== last.current) give(copied)
    }
    const listener = () => void onFocus()
    window.addEventListener('focus', listener)
    return () => window.removeEventListener('focus', listener)
  }, [give])
  return { text, take, give }
}

/** This computer's clipboard, if the user has allowed access before: no question is shown here. */
async function readIfAllowed(): Promise<string | undefined> {
  try {
    // Chromium's name for it, which the types do not have.
    const { state } = await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })
    return state === 'granted' ? await navigator.clipboard.readText() : undefined
  } catch {
    // Browsers without that permission read only on paste.
    return undefined
  }
}
