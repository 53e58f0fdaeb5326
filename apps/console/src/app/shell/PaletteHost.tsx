import { useHotkeys } from '@mantine/hooks'
import { CommandPalette } from './CommandPalette.tsx'
import { openPalette, usePaletteOpened } from './palette.ts'
import { useFramePaletteSources } from './palette-sources.ts'

/** Opens the palette on Ctrl+K, also from within a field. */
export function PaletteHost() {
  useHotkeys([['mod+K', openPalette]], [])
  useFramePaletteSources()
  const opened = usePaletteOpened()
  // Not loaded on demand: what is typed right after Ctrl+K must not be lost.
  return opened && <CommandPalette />
}
