import { ApiError } from '@muster/contract/client'
import type { addPasskey, PasskeyCreation, signInWithPasskey } from '@muster/contract/api/passkeys'
import type { PasskeyRequest } from '@muster/contract/api/sessions'
import type { Input } from '@muster/contract/endpoint'

const IP_ADDRESS = /^(\d+\.){3}\d+$|^\[/

/** Why this browser has no passkeys for this page; undefined if it may have some. */
export function whyNoPasskeys(): string | undefined {
  if (IP_ADDRESS.test(location.hostname))
    return `Passkeys need a host name. Open the server at its name instead of ${location.hostname}.`
  if (!isSecureContext) return 'Passkeys need HTTPS. Open the server at an address with https://.'
  // Missing in old browsers, whatever its type says.
  if (!('PublicKeyCredential' in window)) return 'This browser does not support passkeys.'
  return undefined
}

type NewPasskey = Omit<Input<typeof addPasskey>['body'], 'name'>

/** Lets the browser create a passkey. */
export async function createPasskey(optionsJSON: PasskeyCreation): Promise<NewPasskey> {
  const { startRegistration } = await loadLibrary()
  try {
    const { id, response } = await startRegistration({ optionsJSON })
    return {
      id,
      client_data: response.clientDataJSON,
      attestation: response.attestationObject,
      transports: (response.transports ?? []).filter(isTransport),
    }
  } catch (cause) {
    const known = 'This device already has a passkey for your account.'
    throw refuse(nameOf(cause) === 'InvalidStateError' ? known : 'No passkey was created. Try again.', cause)
  }
}

type Transport = NewPasskey['transports'][number]
const TRANSPORTS = new Set<string>([
  'ble',
  'cable',
  'hybrid',
  'internal',
  'nfc',
  'smart-card',
  'usb',
] satisfies Transport[])
const isTransport = (text: string): text is Transport => TRANSPORTS.has(text)

/** Lets the user choose a passkey, which signs the challenge. */
export async function signWithPasskey(
  optionsJSON: PasskeyRequest,
): Promise<Input<typeof signInWithPasskey>['body']> {
  const { startAuthentication } = await loadLibrary()
  try {
    const { id, response } = await startAuthentication({ optionsJSON })
    return {
      id,
      client_data: response.clientDataJSON,
      authenticator_data: response.authenticatorData,
      signature: response.signature,
      ...(response.userHandle === undefined ? {} : { user_handle: response.userHandle }),
    }
  } catch (cause) {
    // Browsers do not say whether the user cancelled, waited too long, or has none.
    throw refuse('No passkey was used. Check that this device has one, and try again.', cause)
  }
}

const loadLibrary = () => import('@simplewebauthn/browser')

const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')

const refuse = (message: string, cause: unknown) =>
  new ApiError(message, { status: 400, code: 'invalid', cause })
