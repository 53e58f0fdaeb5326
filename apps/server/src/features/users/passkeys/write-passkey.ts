import { type addPasskey, MAX_PASSKEYS, type PasskeyCreation } from '@muster/contract/api/passkeys'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { VerifiedRegistrationResponse } from '@simplewebauthn/server'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import type { InTransaction } from '../../../hooks.ts'
import { lockRow, refuseTaken, requireRow } from '../../../platform/database/change-row.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { holdRights } from '../accounts/queries.ts'
import { openComparison, requireMayChange, requireUser as requireListedUser } from '../accounts/write-user.ts'
import { deleteSessions, refuseSsoUser, requireUser } from '../sessions/queries.ts'
import { CHALLENGE_MS, describeCredential, requireSite, storeChallenge, takeChallenge } from './challenges.ts'
import { countPasskeys, findPasskey, findPasskeys, type PasskeyRow } from './queries.ts'

/** COSE numbers of Ed25519, ECDSA with P-256, and RSA: all that authenticators use today. */
const ALGORITHMS = [-8, -7, -257]

/** Returns what the browser needs to create a passkey. Call after the caller has proven their identity. */
export async function startPasskey(
  ctx: Context,
  caller: Caller,
  request: FastifyRequest,
): Promise<PasskeyCreation> {
  const site = requireSite(request)
  await refuseSsoUser(ctx.db, caller.userId)
  const known = await findPasskeys(ctx.db, caller.userId)
  refuseTooMany(known.length)
  return {
    challenge: await storeChallenge(ctx, { kind: 'add', userId: caller.userId, ip: request.ip }),
    rp: { id: site.host, name: 'Muster' },
    user: {
      id: userHandle(ctx, caller.userId),
      name: caller.username,
      displayName: caller.name ?? caller.username,
    },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MS,
    excludeCredentials: known.map(describeCredential),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  }
}

function refuseTooMany(count: number): void {
  if (count < MAX_PASSKEYS) return
  throw new AppError('conflict', `You have ${MAX_PASSKEYS} passkeys. Delete one of them first.`)
}

/** Names a user to authenticators, base64url: stable, and without the user name. */
export function userHandle({ secrets }: Context, userId: number): string {
  return secrets.deriveToken(String(userId), 'passkey user')
}

/**
 * Adds the passkey that the browser created. As the first second factor it ends the other sessions of the user, which
 * the password alone opened, and a TOTP key that those may have seen.
 */
export async function insertPasskey(
  ctx: Context,
  caller: Caller,
  { body, request }: { body: Parsed<typeof addPasskey>['body']; request: FastifyRequest },
): Promise<PasskeyRow> {
  const { credential, credentialBackedUp } = await verifyCreation(ctx, caller, { body, request })
  const { host } = requireSite(request)
  const sentence = 'This passkey is registered already.'
  return refuseTaken({ field: 'id', sentence }, () =>
    ctx.transaction(async (tx, emit) => {
      await lockRow(tx, 'users', 'id', caller.userId)
      await refuseSsoUser(tx, caller.userId)
      const user = await requireUser(tx, caller.userId)
      const count = await countPasskeys(tx, user.id)
      refuseTooMany(count)
      const row = await tx
        .insertInto('passkeys')
        .values({
          user_id: user.id,
          credential_id: credential.id,
          public_key: Buffer.from(credential.publicKey).toString('base64url'),
          counter: credential.counter,
          transports: JSON.stringify(body.transports),
          backed_up: credentialBackedUp ? 1 : 0,
          host,
          name: body.name,
          created_at: ctx.now().toISOString(),
          last_used_at: null,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      if (count === 0 && user.totp_confirmed === 0) await startSecondFactor({ ctx, tx, emit }, caller)
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'user',
        message: `Added the passkey "${row.name}" of "${user.username}"`,
        at: ctx.now(),
        emit,
      })
      emit({ type: 'user.changed', ids: [user.id] })
      return row
    }),
  )
}

async function verifyCreation(
  ctx: Context,
  caller: Caller,
  { body, request }: { body: Parsed<typeof addPasskey>['body']; request: FastifyRequest },
): Promise<NonNullable<VerifiedRegistrationResponse['registrationInfo']>> {
  const site = requireSite(request)
  const { challenge, userId } = await takeChallenge(ctx, body.client_data, ['add'])
  try {
    if (userId !== caller.userId) throw new Error('the challenge belongs to another user')
    await refuseAttestation(body.attestation)
    // Loaded on first use: it takes 28 MB.
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id: body.id,
        rawId: body.id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: body.client_data, attestationObject: body.attestation },
      },
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified || registrationInfo === undefined) throw new Error('the attestation is not verified')
    if (registrationInfo.credential.id !== body.id) throw new Error('the id is that of another credential')
    return registrationInfo
  } catch (cause) {
    throw new AppError('invalid', 'This passkey is not valid for this server. Try again.', { cause })
  }
}

/** None is asked for. Certificates would make the library fetch addresses that they name. */
async function refuseAttestation(attestation: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const object = decodeAttestationObject(new Uint8Array(Buffer.from(attestation, 'base64url')))
  const format = object.get('fmt')
  // A browser keeps the signature of an authenticator without a certificate.
  if (format === 'none' || (format === 'packed' && object.get('attStmt').get('x5c') === undefined)) return
  throw new Error('an attestation was sent')
}

async function startSecondFactor(
  { ctx, tx, emit }: InTransaction,
  { userId, session }: Caller,
): Promise<void> {
  await tx.updateTable('users').set({ totp_key: null }).where('id', '=', userId).execute()
  if (session === undefined) return
  await tx
    .updateTable('sessions')
    .set({ code_at: ctx.now().toISOString() })
    .where('digest', '=', session.digest)
    .execute()
  const ended = await deleteSessions(tx, { userId, except: session.digest })
  if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
}

export async function changePasskeyName(
  ctx: Context,
  caller: Caller,
  { id, name }: { id: number; name: string },
): Promise<PasskeyRow> {
  return ctx.transaction(async (tx, emit) => {
    await lockRow(tx, 'passkeys', 'id', id)
    const before = requireRow(await findPasskey(tx, caller.userId, id), 'passkey')
    if (before.name === name) return before
    await tx.updateTable('passkeys').set({ name }).where('id', '=', id).execute()
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'user',
      message: `Renamed the passkey "${before.name}" of "${caller.username}" to "${name}"`,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'user.changed', ids: [caller.userId] })
    return { ...before, name }
  })
}

/** Deletes one of the caller's own passkeys and ends their other sessions. */
export async function removeOwnPasskey(ctx: Context, caller: Caller, id: number): Promise<void> {
  const user = { id: caller.userId, username: caller.username }
  await ctx.transaction((tx, emit) =>
    removePasskey({ ctx, tx, emit }, caller, { user, id, except: caller.session?.digest }),
  )
}

/** Deletes a passkey of another user and ends their sessions. */
export async function removeUserPasskey(
  ctx: Context,
  caller: Caller,
  { userId, id }: { userId: number; id: number },
): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await holdRights(tx, { user: userId })
    const user = await requireListedUser(tx, userId)
    requireMayChange(await openComparison(tx, caller), user)
    if (user.id === caller.userId)
      throw new AppError('conflict', 'Delete your own passkeys in the menu of your account.')
    await removePasskey({ ctx, tx, emit }, caller, { user, id })
  })
}

async function removePasskey(
  { ctx, tx, emit }: InTransaction,
  caller: Caller,
  { user, id, except }: { user: { id: number; username: string }; id: number; except?: string | undefined },
): Promise<void> {
  const passkey = requireRow(await findPasskey(tx, user.id, id), 'passkey')
  await tx.deleteFrom('passkeys').where('id', '=', id).execute()
  const ended = await deleteSessions(tx, { userId: user.id, ...(except === undefined ? {} : { except }) })
  await audit(tx, {
    caller,
    action: 'delete',
    object_type: 'user',
    message: `Deleted the passkey "${passkey.name}" of "${user.username}"`,
    at: ctx.now(),
    emit,
  })
  emit({ type: 'user.changed', ids: [user.id] })
  if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
}
