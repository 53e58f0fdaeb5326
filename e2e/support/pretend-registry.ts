import type { RegistryListing } from '@muster/contract/api/registry'
import type { Page } from '@playwright/test'

const ROOTS = ['HKEY_CLASSES_ROOT', 'HKEY_CURRENT_USER', 'HKEY_LOCAL_MACHINE', 'HKEY_USERS']

/** Has a page take a machine for one with Windows, with a registry to look at: how it looks is all that this shows. */
export async function pretendRegistry(page: Page, agentId: string): Promise<void> {
  await page.route(`**/agents/${agentId}/`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), plat: 'windows' } })
  })
  await page.route(`**/agents/${agentId}/registry/**`, (route) => {
    const path = new URL(route.request().url()).searchParams.get('path') ?? ''
    return route.fulfill({ json: listOf(path) })
  })
}

function listOf(path: string): RegistryListing {
  const names = path === '' ? ROOTS : path.endsWith('MACHINE') ? ['SOFTWARE', 'SYSTEM'] : []
  const values = path === '' ? [] : VALUES
  return {
    path,
    subkeys: names.map((name) => ({ name, has_subkeys: name === 'HKEY_LOCAL_MACHINE' })),
    values,
    has_more: false,
    next_keys: null,
    next_values: null,
    key_count: names.length,
    value_count: values.length,
  }
}

const VALUES: RegistryListing['values'] = [
  { name: '', type: 'REG_SZ', data: '', size: 2, bytes: '' },
  {
    name: 'ImagePath',
    type: 'REG_EXPAND_SZ',
    data: '%SystemRoot%\\system32\\svchost.exe -k netsvcs -p',
    size: 96,
    bytes: '',
  },
  { name: 'Start', type: 'REG_DWORD', data: '0x00000002 (2)', size: 4, bytes: 'AgAAAA==' },
  { name: 'Security', type: 'REG_BINARY', data: '01 00 14 80 ...', size: 240, bytes: '' },
]
