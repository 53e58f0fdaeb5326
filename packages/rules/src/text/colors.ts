import { isPaletteName, paletteHex } from './palette.ts'
import type { PaletteName } from './palette.ts'

const THEME_COLORS = ['positive', 'negative', 'warning', 'info'] as const
export type ThemeColor = (typeof THEME_COLORS)[number]

export type Color =
  | { kind: 'named'; name: PaletteName; shade?: number }
  | { kind: 'theme'; name: ThemeColor }
  | { kind: 'hex'; value: string }

/** Defaults of the colour settings, also for invalid values. */
export const DEFAULT_COLORS = {
  loading_bar_color: 'blue',
  dash_info_color: 'info',
  dash_positive_color: 'positive',
  dash_negative_color: 'negative',
  dash_warning_color: 'warning',
} as const satisfies Record<string, PaletteName | ThemeColor>
export type DefaultColor = PaletteName | ThemeColor

/** The colour of a text (`red`, `deep-purple-3`, `warning`, `#aabbcc`), or undefined. */
export function findColor(text: unknown): Color | undefined {
  if (typeof text !== 'string') return undefined
  const word = text.trim().toLowerCase()
  if (/^#[0-9a-f]{6}$/.test(word)) return { kind: 'hex', value: word }
  const theme = THEME_COLORS.find((name) => name === word)
  if (theme) return { kind: 'theme', name: theme }
  const [, name = '', shade] = /^([a-z]+(?:-[a-z]+)?)(?:-([1-9]|1[0-4]))?$/.exec(word) ?? []
  if (!isPaletteName(name)) return undefined
  return shade === undefined ? { kind: 'named', name } : { kind: 'named', name, shade: Number(shade) }
}

/** The colour of a text, or the fallback, because users type these. */
export function parseColor(text: unknown, fallback: DefaultColor): Color {
  return (
    findColor(text) ??
    (isPaletteName(fallback) ? { kind: 'named', name: fallback } : { kind: 'theme', name: fallback })
  )
}

/** The same as a CSS value; `theme` defines positive, negative, warning and info. */
export function colorToCss(
  text: unknown,
  theme: Readonly<Record<ThemeColor, string>>,
  fallback: DefaultColor,
): string {
  const color = parseColor(text, fallback)
  switch (color.kind) {
    case 'hex':
      return color.value
    case 'theme':
      return theme[color.name]
    case 'named':
      return paletteHex(color.name, color.shade)
  }
}
