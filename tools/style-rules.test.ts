import { expect, test } from 'vitest'
import type { SourceFile } from './source-files.ts'
import { findUnstyled } from './style-rules.ts'

const file = (path: string, text: string): SourceFile => ({ path, text })
const frame = file('apps/console/src/app/mantine-styles.ts', "import '@mantine/core/styles/Button.css'")
const screen = (text: string) => file('apps/console/src/features/checks/Pane.tsx', text)
const shows = (names: string) => `import { ${names} } from '@mantine/core'\n`
const styles = ['Button', 'FloatingIndicator', 'SegmentedControl', 'Switch']

test('a component whose style nobody has loaded is found, with what it is drawn with', () => {
  const found = findUnstyled([frame, screen(shows('Button, SegmentedControl, Box'))], styles)
  expect(found).toEqual([
    'apps/console/src/features/checks/Pane.tsx does not load the style of SegmentedControl',
    'apps/console/src/features/checks/Pane.tsx does not load the style of FloatingIndicator',
  ])
})

test('one that the file loads is fine', () => {
  const text = `${shows('Switch')}import '@mantine/core/styles/Switch.css'`
  expect(findUnstyled([frame, screen(text)], styles)).toEqual([])
})
