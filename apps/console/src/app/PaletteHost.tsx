import { useHotkeys } from '@mantine/hooks'
import { Suspense } from 'react'
import { lazyPart } from './lazy-part.ts'
import { openPalette, usePaletteOpened } from './palette.ts'
import { useFramePaletteSources } from './palette-sources.ts'

const CommandPalette = lazyPart(() => import('./CommandPalette.tsx').then((file) => file.CommandPalette))

/** Opens the palette on Ctrl+K, also from within a field. */
export function PaletteHost() {
  useHotkeys([['mod+K', openPalette]], [])
  useFramePaletteSources()
  const opened = usePaletteOpened()
  return <Suspense fallback={null}>{opened && <CommandPalette />}</Suspense>
}
