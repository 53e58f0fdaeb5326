import type { addPasskey, PasskeyCreation, signInWithPasskey } from '@muster/contract/api/passkeys'
import { addPasskey as add, startPasskey } from '@muster/contract/api/passkeys'
import type { PasskeyRequest } from '@muster/contract/api/sessions'
import type { Input } from '@muster/contract/endpoint'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Context } from '../../../context.ts'
import type { TestClient } from '../../../testing/test-client.ts'

export const HOST = 'localhost:8420'
export const ORIGIN = `http://${HOST}`

const FLAGS = { present: 0x01, verified: 0x04, mayBackUp: 0x08, backedUp: 0x10, attested: 0x40 }

interface Ceremony {
  origin?: string
  /** The RP id that is signed. */
  host?: string
  challenge?: string
  type?: string
  isVerified?: boolean
}

/** A passkey in software: what a browser and its authenticator return, right or wrong. */
export class TestAuthenticator {
  id = randomBytes(16).toString('base64url')
  handle = ''
  /** The last signature counter; 0 = none is kept. */
  counter = 0
  #publicKey: KeyObject
  #privateKey: KeyObject

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#publicKey = publicKey
    this.#privateKey = privateKey
  }

  create(
    options: PasskeyCreation,
    {
      name = 'Laptop',
      format = 'none',
      statement = new Map<string, never>(),
      ...ceremony
    }: Ceremony & { name?: string; format?: string; statement?: Map<string, never> } = {},
  ): Input<typeof addPasskey>['body'] {
    this.handle = options.user.id
    const { isVerified = true, host = options.rp.id, challenge = options.challenge } = ceremony
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const data = Buffer.concat([
      this.#authenticatorData(host, FLAGS.attested | (isVerified ? FLAGS.verified : 0)),
      Buffer.alloc(16),
      length,
      id,
      this.#coseKey(),
    ])
    const attestation = isoCBOR.encode(
      new Map<string, Map<string, never> | string | Uint8Array>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', new Uint8Array(data)],
      ]),
    )
    return {
      name,
      id: this.id,
      client_data: clientData({ type: 'webauthn.create', ...ceremony, challenge }),
      attestation: Buffer.from(attestation).toString('base64url'),
      transports: ['internal'],
    }
  }

  sign(request: PasskeyRequest, ceremony: Ceremony = {}): Input<typeof signInWithPasskey>['body'] {
    const { isVerified = true, host = request.rpId, challenge = request.challenge } = ceremony
    if (this.counter > 0) this.counter += 1
    const client_data = clientData({ type: 'webauthn.get', ...ceremony, challenge })
    const data = this.#authenticatorData(host, isVerified ? FLAGS.verified : 0)
    const hash = createHash('sha256').update(Buffer.from(client_data, 'base64url')).digest()
    return {
      id: this.id,
      client_data,
      authenticator_data: data.toString('base64url'),
      signature: sign('sha256', Buffer.concat([data, hash]), this.#privateKey).toString('base64url'),
      user_handle: this.handle,
    }
  }

  #authenticatorData(host: string, flags: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const all = flags | FLAGS.present | FLAGS.mayBackUp | FLAGS.backedUp
    return Buffer.concat([createHash('sha256').update(host).digest(), Buffer.of(all), counter])
  }

  #coseKey(): Uint8Array {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' })
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
    return isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytes(x)],
        [-3, bytes(y)],
      ]),
    )
  }
}

function clientData({ type, origin = ORIGIN, challenge }: Ceremony): string {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url')
}

/** A browser that reaches the server at a host name: `localhost`. */
export function atHost(client: TestClient): TestClient {
  client.headers = { ...client.headers, host: HOST, origin: ORIGIN }
  return client
}

/** Adds a passkey to the user of this client, as the console does. */
export async function givenPasskey(
  client: TestClient,
  { password, name = 'Laptop', counter = 0 }: { password: string; name?: string; counter?: number },
): Promise<TestAuthenticator> {
  const authenticator = new TestAuthenticator()
  authenticator.counter = counter
  const options = (await client.call(startPasskey, { body: { current_password: password } })).body
  const { status, text } = await client.call(add, { body: authenticator.create(options, { name }) })
  if (status !== 200) throw new Error(`The passkey was refused: ${text}`)
  return authenticator
}

/** A row that no authenticator belongs to, for test-world.ts. */
export async function insertTestPasskey({ db, now }: Context, userId: number): Promise<number> {
  const { id } = await db
    .insertInto('passkeys')
    .values({
      user_id: userId,
      credential_id: `credential-${userId}`,
      public_key: '',
      counter: 0,
      backed_up: 0,
      transports: '[]',
      host: 'localhost',
      name: 'Laptop',
      created_at: now().toISOString(),
      last_used_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
