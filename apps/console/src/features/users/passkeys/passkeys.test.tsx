import {
  addPasskey,
  deletePasskey,
  listOwnPasskeys,
  type Passkey,
  type PasskeyCreation,
  renamePasskey,
  signInWithPasskey,
  startPasskey,
  startPasskeySignIn,
} from '@muster/contract/api/passkeys'
import { checkCredentials, type PasskeyRequest } from '@muster/contract/api/sessions'
import { beforeEach, expect, test, vi } from 'vitest'
import { givenSession, openConsole } from '../../../testing/test-console.tsx'
import { givenFrame } from '../../../testing/test-frame.ts'
import { answer, refuse } from '../../../testing/test-server.ts'

beforeEach(() => givenSession({ token: 'abc', username: 'ada' }))

// An address whose own screen asks for little.
const AT = '/agents/abcdefgh12?dialog=passkeys'

const givenPasskey = (more: Partial<Passkey> = {}): Passkey => ({
  id: 1,
  name: 'Desk',
  host: 'muster.example.com',
  backed_up: false,
  created: '2026-11-01T10:00:00.000Z',
  last_used: null,
  ...more,
})

const REQUEST: PasskeyRequest = {
  challenge: 'Y2hhbGxlbmdl',
  rpId: 'localhost',
  timeout: 300_000,
  userVerification: 'required',
  allowCredentials: [],
}

const CREATION: PasskeyCreation = {
  challenge: 'Y2hhbGxlbmdl',
  rp: { id: 'localhost', name: 'Muster' },
  user: { id: 'YWRh', name: 'ada', displayName: 'Ada' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  timeout: 300_000,
  excludeCredentials: [],
  authenticatorSelection: {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  },
  attestation: 'none',
}

const bytes = (text: string) => new TextEncoder().encode(text).buffer

/** The result of the browser's own dialog; the story has a real one. */
function credential(response: Record<string, unknown>): Credential {
  const made = {
    id: 'aWQ',
    rawId: bytes('id'),
    type: 'public-key',
    authenticatorAttachment: null,
    getClientExtensionResults: () => ({}),
    response: { clientDataJSON: bytes('client'), ...response },
  }
  // The library reads these fields only.
  return made as unknown as Credential
}

const SIGNED = { authenticatorData: bytes('data'), signature: bytes('sig'), userHandle: bytes('ada') }

test('own passkeys are listed, renamed, and deleted in exchange for the password', async () => {
  const server = givenFrame()
  server.on(listOwnPasskeys, () =>
    answer(listOwnPasskeys, [
      givenPasskey(),
      givenPasskey({ id: 2, name: 'Phone', backed_up: true, last_used: '2026-11-20T10:00:00.000Z' }),
    ]),
  )
  server.on(renamePasskey, () => answer(renamePasskey, givenPasskey({ name: 'Office' })))
  server.on(deletePasskey, () => answer(deletePasskey, null))
  const { screen } = await openConsole(AT)
  const rows = screen.getByRole('dialog', { name: 'Passkeys' }).getByRole('listitem')
  await expect.element(rows.first().getByText(/on one device/)).toBeVisible()
  await expect.element(rows.first().getByText(/Never used/)).toBeVisible()
  await expect.element(rows.nth(1).getByText(/synchronized between devices/)).toBeVisible()
  await expect.element(rows.nth(1).getByText(/Last used/)).toBeVisible()

  await screen.getByRole('button', { name: 'Rename Desk' }).click()
  await screen.getByRole('textbox', { name: 'Name' }).fill('Office')
  await screen.getByRole('button', { name: 'Save' }).click()
  await vi.waitFor(() => expect(server.calls(renamePasskey)[0]?.body).toEqual({ name: 'Office' }))

  await screen.getByRole('button', { name: 'Delete Phone' }).click()
  await screen.getByLabelText('Current password or code').fill('battery staple')
  await screen.getByRole('button', { name: 'Delete passkey' }).click()
  await vi.waitFor(() => expect(server.calls(deletePasskey)[0]?.path).toBe('/accounts/passkeys/2/delete/'))
  expect(server.calls(deletePasskey)[0]?.body).toEqual({ current_password: 'battery staple' })
})

test('a passkey is added under the name of the browser, and a cancelled one says so', async () => {
  const server = givenFrame()
  server.on(listOwnPasskeys, () => answer(listOwnPasskeys, []))
  server.on(startPasskey, () => answer(startPasskey, CREATION))
  server.on(addPasskey, () => answer(addPasskey, givenPasskey()))
  const create = vi
    .spyOn(navigator.credentials, 'create')
    .mockRejectedValueOnce(new DOMException('cancelled', 'NotAllowedError'))
    .mockResolvedValueOnce(
      credential({ attestationObject: bytes('object'), getTransports: () => ['internal', 'telepathy'] }),
    )
  const { screen } = await openConsole(AT)
  await expect.element(screen.getByText(/^No passkeys yet\./)).toBeVisible()
  await screen.getByRole('button', { name: 'Add passkey' }).click()
  const dialog = screen.getByRole('dialog', { name: 'Add passkey' })
  await expect.element(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Chrome on Linux')
  await dialog.getByLabelText('Current password or code').fill('battery staple')
  await dialog.getByRole('button', { name: 'Add passkey' }).click()
  await expect.element(dialog.getByRole('alert')).toHaveTextContent('No passkey was created. Try again.')
  await dialog.getByRole('button', { name: 'Add passkey' }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(create).toHaveBeenCalledTimes(2)
  expect(server.calls(addPasskey)[0]?.body).toEqual({
    name: 'Chrome on Linux',
    id: 'aWQ',
    client_data: 'Y2xpZW50',
    attestation: 'b2JqZWN0',
    transports: ['internal'],
  })
})

test('the sign-in page signs in with a passkey alone', async () => {
  givenSession(undefined)
  const server = givenFrame()
  server.on(startPasskeySignIn, () => answer(startPasskeySignIn, REQUEST))
  server.on(signInWithPasskey, () =>
    answer(signInWithPasskey, { totp: true, token: 'new', username: 'ada', name: null }),
  )
  vi.spyOn(navigator.credentials, 'get').mockResolvedValueOnce(credential(SIGNED))
  const { screen } = await openConsole('/login')
  await screen.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await vi.waitFor(() => expect(localStorage.getItem('access_token')).toBe('new'))
  expect(server.calls(signInWithPasskey)[0]?.body).toEqual({
    id: 'aWQ',
    client_data: 'Y2xpZW50',
    authenticator_data: 'ZGF0YQ',
    signature: 'c2ln',
    user_handle: 'YWRh',
  })
})

test('after the password, a refused passkey can be tried again with a new request, or a code used', async () => {
  givenSession(undefined)
  const server = givenFrame()
  server.on(checkCredentials, () =>
    answer(checkCredentials, { totp: true, passkey: { request: REQUEST, or_code: true } }),
  )
  server.on(signInWithPasskey, () => refuse('bad_credentials', 'This passkey does not sign you in.'))
  const get = vi.spyOn(navigator.credentials, 'get').mockResolvedValue(credential(SIGNED))
  const { screen } = await openConsole('/login')
  await screen.getByRole('textbox', { name: 'User name' }).fill('ada')
  await screen.getByLabelText('Password', { exact: true }).fill('correct horse')
  await screen.getByRole('button', { name: 'Sign in', exact: true }).click()
  const use = screen.getByRole('button', { name: 'Use your passkey' })
  await use.click()
  await expect.element(screen.getByRole('alert')).toHaveTextContent('This passkey does not sign you in.')
  expect(server.calls(checkCredentials)).toHaveLength(1)
  await use.click()
  await vi.waitFor(() => expect(server.calls(signInWithPasskey)).toHaveLength(2))
  expect(server.calls(checkCredentials)).toHaveLength(2)
  await screen.getByRole('button', { name: 'Use a code of the authenticator app' }).click()
  await expect.element(screen.getByRole('textbox', { name: 'Code' })).toBeVisible()
  get.mockRestore()
})
