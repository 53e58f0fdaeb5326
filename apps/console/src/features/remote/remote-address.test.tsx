import { getAgent } from '@muster/contract/api/agents'
import { listFolder } from '@muster/contract/api/files'
import { readMachineLog } from '@muster/contract/api/logs'
import { listRegistry } from '@muster/contract/api/registry'
import { listServices } from '@muster/contract/api/services'
import { rawOfBytes, rawOfText } from '@muster/rules/agents/raw-path'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../dashboard/test-dashboard.ts'

const WINDOW = '/remotebackground/alpha0000000'
const textbox = (name: string) => page.getByRole('textbox', { name })
const tab = (name: string) => page.getByRole('tab', { name })

async function openAt(address: string, plat: 'linux' | 'windows' = 'linux') {
  const { server, open } = await givenDashboard()
  server.on(getAgent, () => answer(getAgent, testDetail({ plat })))
  server.on(listFolder, ({ search }) => {
    const path = search.get('path') ?? ''
    return answer(listFolder, { path, shown_path: path, entries: [], total: 0, next: null })
  })
  server.on(listRegistry, ({ search }) =>
    answer(listRegistry, {
      path: search.get('path') ?? '',
      subkeys: [],
      values: [],
      has_more: false,
      next_keys: null,
      next_values: null,
      key_count: 0,
      value_count: 0,
    }),
  )
  server.on(readMachineLog, () => answer(readMachineLog, { entries: [], complete: true }))
  server.on(listServices, () => answer(listServices, []))
  return { server, ...(await open(`${WINDOW}${address}`)) }
}

test('a folder and its search are in the address, and Back returns to the previous folder', async () => {
  const { server, at, router } = await openAt('?tool=files&at=/var/log&find=sys')
  const asked = () => {
    const { search } = server.calls(listFolder).at(-1) ?? {}
    return [search?.get('path'), search?.get('search')]
  }
  await expect.element(textbox('Search this folder')).toHaveValue('sys')
  await expect.poll(asked).toEqual([rawOfText('/var/log'), 'sys'])
  await page.getByRole('button', { name: 'var', exact: true }).click()
  await expect.poll(asked).toEqual([rawOfText('/var'), ''])
  await expect.element(textbox('Search this folder')).toHaveValue('')
  expect(at()).toBe(`${WINDOW}?tool=files&at=%2Fvar`)
  await textbox('Search this folder').fill('a b')
  await expect.poll(at).toBe(`${WINDOW}?tool=files&at=%2Fvar&find=a+b`)
  router.history.back()
  await expect.element(textbox('Search this folder')).toHaveValue('sys')
  await expect.poll(asked).toEqual([rawOfText('/var/log'), 'sys'])
})

test('a folder whose name is no text has an address too, and an address of nothing opens the first folder', async () => {
  const raw = rawOfBytes(Uint8Array.of(0x2f, 0xff))
  const { server, router } = await openAt(`?tool=files&at=${raw}`)
  await expect.poll(() => server.calls(listFolder).at(-1)?.search.get('path')).toBe(raw)
  await router.navigate({ href: `${WINDOW}?tool=files&at=%F0%9F%92%A9` })
  await expect.poll(() => server.calls(listFolder).at(-1)?.search.get('path')).toBe(rawOfText('/'))
})

test('the path of a folder can be written', async () => {
  const { server, at } = await openAt('?tool=files')
  const write = page.getByRole('button', { name: 'Enter path' })
  const field = textbox('Folder path')
  await write.click()
  await expect.element(field).toHaveFocus()
  await field.fill('etc')
  await expect.element(page.getByText('Enter the full path of a folder, starting with /.')).toBeVisible()
  await userEvent.keyboard('{Enter}')
  await field.fill(' /etc/ssh// ')
  await userEvent.keyboard('{Enter}')
  await expect.element(field).not.toBeInTheDocument()
  await expect.poll(at).toBe(`${WINDOW}?tool=files&at=%2Fetc%2Fssh`)
  await expect.poll(() => server.calls(listFolder).at(-1)?.search.get('path')).toBe(rawOfText('/etc/ssh'))
  await write.click()
  await field.fill('/')
  await userEvent.keyboard('{Escape}')
  await expect.element(write).toBeVisible()
  expect(at()).toBe(`${WINDOW}?tool=files&at=%2Fetc%2Fssh`)
})

test('a tool is found again as it was left', async () => {
  const { at } = await openAt('?tool=files&at=/srv')
  await tab('Services').click()
  await textbox('Search services').fill('ssh')
  await expect.poll(at).toBe(`${WINDOW}?tool=services&find=ssh`)
  await tab('Files').click()
  await expect.poll(at).toBe(`${WINDOW}?tool=files&at=%2Fsrv`)
  await tab('Services').click()
  await expect.element(textbox('Search services')).toHaveValue('ssh')
})

test('the registry key is in the address', async () => {
  const { server, at } = await openAt(String.raw`?tool=registry&at=HKEY_USERS\A`, 'windows')
  await expect.element(textbox('Key path')).toHaveValue(String.raw`HKEY_USERS\A`)
  const asked = () => server.calls(listRegistry).map(({ search }) => search.get('path'))
  await expect.poll(asked).toContain(String.raw`HKEY_USERS\A`)
  await textbox('Key path').fill('HKEY_USERS\\')
  await userEvent.keyboard('{Enter}')
  await expect.poll(at).toBe(`${WINDOW}?tool=registry&at=HKEY_USERS`)
})

test('the log filter and the live view are in the address', async () => {
  const { server, at } = await openAt('?tool=logs&find=unit%3Dssh.service%26priority%3Derr')
  await expect.element(textbox('Unit')).toHaveValue('ssh.service')
  const asked = () => Object.fromEntries(server.calls(readMachineLog).at(-1)?.search ?? [])
  await expect.poll(asked).toMatchObject({ unit: 'ssh.service', priority: 'err' })
  await textbox('Unit').fill('cron.service')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await expect.poll(at).toContain('unit%3Dcron.service%26priority%3Derr')
  await page.getByText('Live', { exact: true }).click()
  await expect.poll(at).toBe(`${WINDOW}?tool=logs&at=live`)
})
