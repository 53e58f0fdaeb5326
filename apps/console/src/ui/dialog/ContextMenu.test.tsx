import { MantineProvider } from '@mantine/core'
import { expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from '../test-render.ts'
import '@mantine/core/styles.css'
import { ContextMenu } from './ContextMenu.tsx'
import type { MenuEntry } from './menu-entry.ts'

const line = (label: string, disabledReason?: string): MenuEntry => ({
  id: label,
  label,
  disabledReason,
  run: () => {},
})

const menu = (x: number, entries: readonly MenuEntry[], onClose = () => {}) => (
  <MantineProvider>
    <ContextMenu label="Actions" at={{ x, y: 10 }} entries={entries} onClose={onClose} />
  </MantineProvider>
)

test('news does not move the lines of an open menu; the next one shows it', async () => {
  const screen = await render(menu(10, [line('Run checks', 'pc-1 is offline.'), line('Edit')]))
  await expect.element(screen.getByText('pc-1 is offline.')).toBeVisible()
  await screen.rerender(menu(10, [line('Run checks'), line('Edit')]))
  await expect.element(screen.getByText('pc-1 is offline.')).toBeVisible()
  await screen.rerender(menu(20, [line('Run checks'), line('Edit')]))
  await expect.element(screen.getByText('pc-1 is offline.')).not.toBeInTheDocument()
})

test('Escape closes a menu that does not have the focus yet', async () => {
  const onClose = vi.fn()
  const screen = await render(menu(10, [line('Edit')], onClose))
  await expect.element(screen.getByRole('menuitem', { name: 'Edit' })).toBeVisible()
  await expect.poll(() => document.activeElement?.closest('[role=menu]')).not.toBeNull()
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  await userEvent.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})

test('a menu whose entries are still loading shows them when they come', async () => {
  const screen = await render(menu(10, []))
  await screen.rerender(menu(10, [line('Edit')]))
  await expect.element(screen.getByRole('menuitem', { name: 'Edit' })).toBeVisible()
})
