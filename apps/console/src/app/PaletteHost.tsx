import { useHotkeys } from '@mantine/hooks'
import { Suspense, lazy } from 'react'
import { openPalette, usePaletteOpened } from './palette.ts'
import { useFramePaletteSources } from './palette-sources.ts'

const CommandPalette = lazy(() =>
  import('./CommandPalette.tsx').then((file) => ({ default: file.CommandPalette })),
)

/** Opens the palette on Ctrl+K, also from within a field. */
export function PaletteHost() {
  useHotkeys([['mod+K', openPalette]], [])
  useFramePaletteSources()
  const opened = usePaletteOpened()
  return <Suspense fallback={null}>{opened && <CommandPalette />}</Suspense>
}
