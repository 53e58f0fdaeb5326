import '../../app/mantine-styles.ts'
import '../../app/global.css'
import { getTerminalDefaults } from '@muster/contract/api/remote'
import { expect, test } from 'vitest'
import { answer } from '../../testing/test-server.ts'
import { openTab } from './test-tab.tsx'

const DEFAULTS = {
  shells: [
    { name: 'bash', path: '/bin/bash' },
    { name: 'zsh', path: '/usr/bin/zsh' },
  ],
  agent_user: 'root',
  signed_in_user: 'anna',
  why_no_user: null,
}

async function givenShells(more: Partial<typeof DEFAULTS> | object = {}) {
  const given = await openTab()
  given.server.on(getTerminalDefaults, () => answer(getTerminalDefaults, { ...DEFAULTS, ...more }))
  given.windows[0]?.open({ shell: '/bin/bash', user: 'root' })
  const choose = async (name: RegExp) => {
    await given.screen.getByRole('button', { name: /^Shell: / }).click()
    await given.screen.getByRole('menuitem', { name }).click()
  }
  return { ...given, choose }
}

test('a terminal opens with the default shell; another shell or user restarts it', async () => {
  const { screen, windows, choose } = await givenShells()
  await expect.element(screen.getByText('In /bin/bash as root on PC-12')).toBeVisible()
  expect(windows[0]?.asked).toEqual({
    tool: 'terminal',
    session: null,
    cols: expect.any(Number),
    rows: expect.any(Number),
  })
  await choose(/^zsh/)
  await expect.poll(() => windows[1]?.asked).toMatchObject({ session: null, shell: '/usr/bin/zsh' })
  expect(windows[0]?.isEnded).toBe(true)
  windows[1]?.open({ shell: '/usr/bin/zsh', user: 'root' })
  await choose(/^As anna/)
  await expect.poll(() => windows[2]?.asked).toMatchObject({ shell: '/usr/bin/zsh', as_user: true })
})

test('without a signed-in user the menu says so', async () => {
  const why_no_user = 'Nobody is signed in at this machine.'
  const { screen } = await givenShells({ signed_in_user: null, why_no_user })
  await screen.getByRole('button', { name: 'Shell: bash as root' }).click()
  const item = screen.getByRole('menuitem', { name: /^As the signed-in user/ })
  await expect.element(item).toBeDisabled()
  await expect.element(item.getByText(why_no_user)).toBeVisible()
})

test('a custom shell that is not there asks for another path; cancelling leads back', async () => {
  const { screen, windows, choose } = await givenShells()
  await choose(/^Custom shell/)
  const dialog = screen.getByRole('dialog', { name: 'Custom shell' })
  await dialog.getByLabelText('Program').fill('/opt/fish')
  await dialog.getByRole('button', { name: 'Open' }).click()
  await expect.poll(() => windows[1]?.asked).toMatchObject({ shell: '/opt/fish' })
  windows[1]?.end('no_shell', 'There is no program "/opt/fish" on this machine.')
  await expect.element(dialog.getByText('There is no program "/opt/fish" on this machine.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.poll(() => windows[2]?.asked).not.toHaveProperty('shell')
})
