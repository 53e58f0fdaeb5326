import { MantineProvider } from '@mantine/core'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from '../../ui/test-render.ts'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import '../mantine-styles.ts'
import { theme } from '../theme.ts'

const entries = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${index}`,
    label: `Action ${index + 1}`,
    run: () => {},
  }))

async function openAt(at: { x: number; y: number }, count: number) {
  await render(
    <MantineProvider theme={theme}>
      <ContextMenu label="Actions" at={at} entries={entries(count)} onClose={() => {}} />
    </MantineProvider>,
  )
  const menu = page.getByRole('menu', { name: 'Actions' })
  await expect.element(menu).toBeVisible()
  const box = () => menu.element().getBoundingClientRect()
  return { menu, box }
}

test('a long menu stays within the window, wherever it was asked for', async () => {
  await page.viewport(600, 500)
  const { box } = await openAt({ x: 580, y: 250 }, 14)
  await expect.poll(() => box().bottom).toBeLessThanOrEqual(500)
  expect(box().top).toBeGreaterThanOrEqual(0)
  expect(box().right).toBeLessThanOrEqual(600)
})

test('one that is longer than the window scrolls to its last line', async () => {
  await page.viewport(600, 300)
  const { menu, box } = await openAt({ x: 100, y: 200 }, 25)
  await expect.poll(() => box().bottom).toBeLessThanOrEqual(300)
  expect(box().top).toBeGreaterThanOrEqual(0)
  menu.getByRole('menuitem', { name: 'Action 25' }).element().scrollIntoView()
  const last = menu.getByRole('menuitem', { name: 'Action 25' }).element().getBoundingClientRect()
  expect(last.bottom).toBeLessThanOrEqual(300)
})
