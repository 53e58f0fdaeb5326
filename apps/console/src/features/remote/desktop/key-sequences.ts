const CONTROL = { keysym: 0xff_e3, code: 'ControlLeft' }
const ALT = { keysym: 0xff_e9, code: 'AltLeft' }
const SHIFT = { keysym: 0xff_e1, code: 'ShiftLeft' }
const SUPER = { keysym: 0xff_eb, code: 'MetaLeft' }
const DELETE = { keysym: 0xff_ff, code: 'Delete' }
const ESCAPE = { keysym: 0xff_1b, code: 'Escape' }
const TAB = { keysym: 0xff_09, code: 'Tab' }
const PRINT = { keysym: 0xff_61, code: 'PrintScreen' }
const functionKey = (number: number) => ({ keysym: 0xff_bd + number, code: `F${number}` })

export interface Key {
  keysym: number
  code: string
}

/** Keys that a browser or this computer handles itself. */
export const KEY_SEQUENCES: readonly { label: string; keys: readonly Key[] }[] = [
  { label: 'Ctrl+Alt+Del', keys: [CONTROL, ALT, DELETE] },
  { label: 'Ctrl+Shift+Esc', keys: [CONTROL, SHIFT, ESCAPE] },
  { label: 'Alt+Tab', keys: [ALT, TAB] },
  { label: 'Alt+F4', keys: [ALT, functionKey(4)] },
  { label: 'Super', keys: [SUPER] },
  { label: 'Print', keys: [PRINT] },
  ...[1, 2, 7].map((number) => ({
    label: `Ctrl+Alt+F${number}`,
    keys: [CONTROL, ALT, functionKey(number)],
  })),
]
