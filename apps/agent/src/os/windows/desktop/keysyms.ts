/** A key of Windows: virtual-key code, and whether it is one of the keys that AT keyboards did not have. */
export interface VirtualKey {
  code: number
  isExtended: boolean
}

const plain = (code: number): VirtualKey => ({ code, isExtended: false })
const extended = (code: number): VirtualKey => ({ code, isExtended: true })

/** Keys without a character, by their X11 keysym. Sources: X11's keysymdef.h, "Virtual-Key Codes" of the Windows API. */
const KEYS = new Map<number, VirtualKey>([
  [0xff_08, plain(0x08)], // BackSpace
  [0xff_09, plain(0x09)], // Tab
  [0xfe_20, plain(0x09)], // ISO_Left_Tab
  [0xff_0a, plain(0x0d)], // Linefeed
  [0xff_0b, plain(0x0c)], // Clear
  [0xff_0d, plain(0x0d)], // Return
  [0xff_13, plain(0x13)], // Pause
  [0xff_14, plain(0x91)], // Scroll_Lock
  [0xff_15, extended(0x2c)], // Sys_Req
  [0xff_1b, plain(0x1b)], // Escape
  [0xff_50, extended(0x24)], // Home
  [0xff_51, extended(0x25)], // Left
  [0xff_52, extended(0x26)], // Up
  [0xff_53, extended(0x27)], // Right
  [0xff_54, extended(0x28)], // Down
  [0xff_55, extended(0x21)], // Page_Up
  [0xff_56, extended(0x22)], // Page_Down
  [0xff_57, extended(0x23)], // End
  [0xff_61, extended(0x2c)], // Print
  [0xff_63, extended(0x2d)], // Insert
  [0xff_67, extended(0x5d)], // Menu
  [0xff_69, plain(0x03)], // Cancel
  [0xff_6a, plain(0x2f)], // Help
  [0xff_6b, extended(0x03)], // Break
  [0xff_7f, extended(0x90)], // Num_Lock
  [0xff_8d, extended(0x0d)], // KP_Enter
  [0xff_95, plain(0x24)], // KP_Home
  [0xff_96, plain(0x25)], // KP_Left
  [0xff_97, plain(0x26)], // KP_Up
  [0xff_98, plain(0x27)], // KP_Right
  [0xff_99, plain(0x28)], // KP_Down
  [0xff_9a, plain(0x21)], // KP_Page_Up
  [0xff_9b, plain(0x22)], // KP_Page_Down
  [0xff_9c, plain(0x23)], // KP_End
  [0xff_9d, plain(0x0c)], // KP_Begin
  [0xff_9e, plain(0x2d)], // KP_Insert
  [0xff_9f, plain(0x2e)], // KP_Delete
  [0xff_aa, plain(0x6a)], // KP_Multiply
  [0xff_ab, plain(0x6b)], // KP_Add
  [0xff_ac, plain(0x6c)], // KP_Separator
  [0xff_ad, plain(0x6d)], // KP_Subtract
  [0xff_ae, plain(0x6e)], // KP_Decimal
  [0xff_af, extended(0x6f)], // KP_Divide
  [0xff_e1, plain(0xa0)], // Shift_L
  [0xff_e2, plain(0xa1)], // Shift_R
  [0xff_e3, plain(0xa2)], // Control_L
  [0xff_e4, extended(0xa3)], // Control_R
  [0xff_e5, plain(0x14)], // Caps_Lock
  [0xff_e7, extended(0x5b)], // Meta_L
  [0xff_e8, extended(0x5c)], // Meta_R
  [0xff_e9, plain(0xa4)], // Alt_L
  [0xff_ea, extended(0xa5)], // Alt_R
  [0xff_eb, extended(0x5b)], // Super_L
  [0xff_ec, extended(0x5c)], // Super_R
  [0xff_ff, extended(0x2e)], // Delete
  // Media keys: XF86AudioLowerVolume, AudioMute, AudioRaiseVolume, AudioPlay, AudioStop, AudioPrev, AudioNext.
  [0x10_08_ff_11, extended(0xae)],
  [0x10_08_ff_12, extended(0xad)],
  [0x10_08_ff_13, extended(0xaf)],
  [0x10_08_ff_14, extended(0xb3)],
  [0x10_08_ff_15, extended(0xb2)],
  [0x10_08_ff_16, extended(0xb1)],
  [0x10_08_ff_17, extended(0xb0)],
  // KP_0 to KP_9 and F1 to F24.
  ...Array.from({ length: 10 }, (_, index): [number, VirtualKey] => [0xff_b0 + index, plain(0x60 + index)]),
  ...Array.from({ length: 24 }, (_, index): [number, VirtualKey] => [0xff_be + index, plain(0x70 + index)]),
])

/** The key of a keysym without a character. */
export function findKey(keysym: number): VirtualKey | undefined {
  return KEYS.get(keysym)
}

const UNICODE = 0x01_00_00_00

/** The character of a keysym. Only the ranges that browsers send: Latin-1 and Unicode, and the euro. */
export function findCharacter(keysym: number): string | undefined {
  if (keysym === 0x20_ac || keysym === 0x13_a4) return '€'
  if ((keysym >= 0x20 && keysym <= 0x7e) || (keysym >= 0xa0 && keysym <= 0xff))
    return String.fromCodePoint(keysym)
  const point = keysym - UNICODE
  const isCharacter = point >= 0x20 && point <= 0x10_ff_ff && !(point >= 0xd8_00 && point <= 0xdf_ff)
  return isCharacter ? String.fromCodePoint(point) : undefined
}
