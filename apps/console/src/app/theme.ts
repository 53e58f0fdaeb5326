import {
  colorsTuple,
  createTheme,
  type CSSVariablesResolver,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type MenuProps,
  rem,
} from '@mantine/core'
import { ICON_SIZES_PX } from '@muster/rules/text/layout'
import { COLORS } from './colors.ts'

type Scheme = keyof typeof COLORS

/** Colours that a component may name: `color="negative"`. */
const NAMED = ['accent', 'negative', 'warning', 'positive', 'info', 'maintenance'] as const

const palette = Object.fromEntries(NAMED.map((name) => [name, colorsTuple(COLORS.dark[name])]))

// The two ramps that Mantine's own styles use, adapted to the colours above.
const DARK: MantineColorsTuple = [
  '#e4e8ee',
  '#b9c2ce',
  '#8d98a8',
  '#6b7686',
  '#242d3a',
  '#1b2330',
  '#171d27',
  '#12171f',
  '#0d1117',
  '#090c11',
]
const GRAY: MantineColorsTuple = [
  '#fbfbfc',
  '#eef1f5',
  '#e7eaef',
  '#dfe3e9',
  '#cfd5de',
  '#858f9d',
  '#5b6676',
  '#3f4958',
  '#2a3340',
  '#18202b',
]

export const theme = createTheme({
  primaryColor: 'accent',
  // fromEntries loses the key types
  colors: { ...(palette as Record<(typeof NAMED)[number], MantineColorsTuple>), dark: DARK, gray: GRAY },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(13), lg: rem(15), xl: rem(20) },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.45', lg: '1.4', xl: '1.3' },
  spacing: { xs: rem(4), sm: rem(8), md: rem(12), lg: rem(16), xl: rem(24) },
  radius: { xs: rem(4), sm: rem(6), md: rem(8), lg: rem(10), xl: rem(10) },
  defaultRadius: 'sm',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: rem(20), lineHeight: '1.3' },
      h2: { fontSize: rem(15), lineHeight: '1.4' },
      h3: { fontSize: rem(13), lineHeight: '1.4' },
    },
  },
  shadows: {
    xs: 'none',
    sm: 'var(--m-shadow)',
    md: 'var(--m-shadow)',
    lg: 'var(--m-shadow)',
    xl: 'var(--m-shadow)',
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  other: { iconSizes: ICON_SIZES_PX },
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input)
    const name = NAMED.find((known) => known === (input.color ?? 'accent'))
    if (input.variant !== 'filled' || name === undefined) return colors
    return { ...colors, color: `var(--mantine-color-${name}-contrast)` }
  },
  components: {
    Button: { defaultProps: { size: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Modal: { defaultProps: { transitionProps: { duration: 120 }, centered: true } },
    Menu: {
      defaultProps: {
        withInitialFocusPlaceholder: false,
        transitionProps: { duration: 100 },
        shadow: 'md',
        radius: 'md',
        // A long menu covers its trigger and scrolls instead of leaving the window.
        middlewares: { shift: { crossAxis: true, padding: 8, limiter: { fn: ({ x, y }) => ({ x, y }) } } },
      } satisfies MenuProps,
      styles: { dropdown: { maxHeight: 'calc(100dvh - 16px)', overflowY: 'auto' } },
    },
    Popover: { defaultProps: { transitionProps: { duration: 100 }, shadow: 'md', radius: 'md' } },
    Tooltip: {
      defaultProps: {
        openDelay: 300,
        transitionProps: { duration: 100 },
        events: { hover: true, focus: true, touch: false },
      },
    },
    TextInput: { defaultProps: { size: 'sm' } },
    // Lists open on click only, so that an opened form shows its fields.
    Select: { defaultProps: { size: 'sm', comboboxProps: { shadow: 'md' }, openOnFocus: false } },
    MultiSelect: { defaultProps: { openOnFocus: false } },
    Autocomplete: { defaultProps: { openOnFocus: false } },
    // A small checkbox with rounder corners would look like a radio button.
    Checkbox: { defaultProps: { radius: 'xs' } },
    Alert: { styles: { title: { fontWeight: 600 }, message: { fontSize: 'inherit' } } },
    Loader: { defaultProps: { size: 'xs', type: 'dots' } },
  },
})

/** `--m-*` are the console's own names; Mantine's variables point to them. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: Object.fromEntries(
    Object.entries(ICON_SIZES_PX).map(([size, px]) => [`--m-icon-${size}`, `${px}px`]),
  ),
  dark: { ...schemeVariables('dark'), '--m-shadow': '0 8px 28px rgba(0, 0, 0, 0.5)' },
  light: { ...schemeVariables('light'), '--m-shadow': '0 8px 28px rgba(24, 32, 43, 0.16)' },
})

function schemeVariables(scheme: Scheme): Record<string, string> {
  const colors = COLORS[scheme]
  return {
    ...Object.fromEntries(Object.entries(colors).map(([name, value]) => [`--m-${toKebab(name)}`, value])),
    ...Object.assign({}, ...NAMED.map((name) => namedVariables(name, scheme))),
    '--mantine-color-body': colors.surface,
    '--mantine-color-text': colors.text,
    '--mantine-color-bright': colors.text,
    '--mantine-color-dimmed': colors.dim,
    '--mantine-color-placeholder': colors.dim,
    '--mantine-color-anchor': colors.accent,
    '--mantine-color-error': colors.negative,
    '--mantine-color-default': colors.raised,
    '--mantine-color-default-hover': colors.hover,
    '--mantine-color-default-color': colors.text,
    '--mantine-color-default-border': colors.line,
    '--mantine-color-disabled': colors.hover,
    '--mantine-color-disabled-color': colors.dim,
    '--mantine-color-disabled-border': colors.line,
    '--mantine-color-gray-light': colors.hover,
    '--mantine-color-gray-light-color': colors.dim,
    '--mantine-color-gray-light-hover': colors.hover,
    '--mantine-primary-color-contrast': colors.onAccent,
  }
}

function namedVariables(name: (typeof NAMED)[number], scheme: Scheme): Record<string, string> {
  const color = COLORS[scheme][name]
  const base = `--mantine-color-${name}`
  return {
    [`${base}-filled`]: color,
    [`${base}-filled-hover`]:
      name === 'accent'
        ? COLORS[scheme].accentHover
        : `color-mix(in srgb, ${color} 88%, ${COLORS[scheme].text})`,
    [`${base}-contrast`]: COLORS[scheme].onAccent,
    [`${base}-text`]: color,
    [`${base}-outline`]: color,
    [`${base}-outline-hover`]: `color-mix(in srgb, ${color} 8%, transparent)`,
    [`${base}-light`]: `color-mix(in srgb, ${color} 14%, transparent)`,
    [`${base}-light-hover`]: `color-mix(in srgb, ${color} 20%, transparent)`,
    // On its own tint the plain colour is too faint in light mode.
    [`${base}-light-color`]: `color-mix(in srgb, ${color} 72%, ${COLORS[scheme].text})`,
  }
}

const toKebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
