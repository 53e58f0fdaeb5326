import { useMediaQuery } from '@mantine/hooks'
import { type RefObject, useState } from 'react'
import { notify } from '../../app/shell/notify.ts'
import classes from './KeyBar.module.css'
import type { Modifiers } from './terminal-modifiers.ts'
import type { TerminalView } from './terminal-view.ts'

const NONE: Modifiers = { ctrl: false, alt: false }
const MODIFIERS = [
  { name: 'ctrl', label: 'Ctrl' },
  { name: 'alt', label: 'Alt' },
] as const
/** Sequences as xterm writes them; arrows follow the mode of the program. */
const FIRST_KEYS = [
  { label: 'Esc', name: 'Esc, escape', text: '\u001b' },
  { label: 'Tab', name: 'Tab', text: '\t' },
]
const KEYS = [
  { label: '←', name: 'Left', text: '\u001b[D' },
  { label: '↓', name: 'Down', text: '\u001b[B' },
  { label: '↑', name: 'Up', text: '\u001b[A' },
  { label: '→', name: 'Right', text: '\u001b[C' },
  { label: '|', name: 'Pipe', text: '|' },
  { label: '/', name: 'Slash', text: '/' },
  { label: '-', name: 'Hyphen', text: '-' },
  { label: '~', name: 'Tilde', text: '~' },
  { label: 'PgUp', name: 'PgUp, page up', text: '\u001b[5~' },
  { label: 'PgDn', name: 'PgDn, page down', text: '\u001b[6~' },
]

/** The keys that keyboards on screens lack. Ctrl and Alt apply to the next key, on the bar or the keyboard. */
export function KeyBar({ view }: { view: RefObject<TerminalView | null> }) {
  const isTouch = useMediaQuery('(pointer: coarse)', undefined, { getInitialValueInEffect: false })
  const [held, setHeld] = useState(NONE)
  if (!isTouch) return null
  const hold = (next: Modifiers) => {
    setHeld(next)
    view.current?.hold(next, () => setHeld(NONE))
  }
  const press = ({ label, name, text }: (typeof KEYS)[number]) => (
    <button
      key={name}
      type="button"
      className={classes.key}
      aria-label={name}
      onClick={() => view.current?.press(text)}
    >
      {label}
    </button>
  )
  return (
    <div
      role="toolbar"
      aria-label="Terminal keys"
      className={classes.bar}
      // The focus, and with it the keyboard on the screen, stays in the terminal.
      onMouseDown={(event) => event.preventDefault()}
    >
      {FIRST_KEYS.map(press)}
      {MODIFIERS.map(({ name, label }) => (
        <button
          key={name}
          type="button"
          className={classes.key}
          aria-pressed={held[name]}
          onClick={() => hold({ ...held, [name]: !held[name] })}
        >
          {label}
        </button>
      ))}
      {KEYS.map(press)}
      <button type="button" className={classes.key} data-wide onClick={() => void paste(view.current)}>
        Paste
      </button>
    </div>
  )
}

async function paste(view: TerminalView | null): Promise<void> {
  try {
    view?.paste(await navigator.clipboard.readText())
  } catch {
    notify('The clipboard cannot be read. Allow it in the browser, or hold the terminal and paste.', {
      tone: 'warning',
    })
  }
}
