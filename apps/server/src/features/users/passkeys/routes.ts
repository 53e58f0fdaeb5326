import {
  addPasskey,
  deletePasskey,
  deleteUserPasskey,
  listOwnPasskeys,
  listUserPasskeys,
  renamePasskey,
  signInWithPasskey,
  startPasskey,
  startPasskeySignIn,
} from '@muster/contract/api/passkeys'
import { AppError } from '@muster/contract/errors'
import { type Api, route } from '../../../platform/http/route.ts'
import { requireUser } from '../accounts/write-user.ts'
import { proveOwner } from '../sessions/prove-owner.ts'
import { isSuperuser } from '../sessions/queries.ts'
import type { SignInParts } from '../sessions/sign-in.ts'
import { findPasskeys, viewPasskey } from './queries.ts'
import { requestSignIn, signInByPasskey } from './sign-in.ts'
import {
  changePasskeyName,
  insertPasskey,
  removeOwnPasskey,
  removeUserPasskey,
  startPasskey as start,
} from './write-passkey.ts'

export function passkeysRoutes(api: Api, desk: SignInParts): void {
  const { ctx } = desk

  route(api, listOwnPasskeys, async ({ caller }) =>
    (await findPasskeys(ctx.db, caller.userId)).map(viewPasskey),
  )

  route(api, startPasskey, async ({ caller, body, request }) => {
    await proveOwner(desk, caller, body)
    return start(ctx, caller, request)
  })

  route(api, addPasskey, async ({ caller, body, request }) =>
    viewPasskey(await insertPasskey(ctx, caller, { body, request })),
  )

  route(api, renamePasskey, async ({ caller, params, body }) =>
    viewPasskey(await changePasskeyName(ctx, caller, { id: params.id, name: body.name })),
  )

  route(api, deletePasskey, async ({ caller, params, body }) => {
    await proveOwner(desk, caller, body)
    await removeOwnPasskey(ctx, caller, params.id)
    return null
  })

  route(api, listUserPasskeys, async ({ caller, params }) => {
    const user = await requireUser(ctx.db, params.id)
    if (!caller.isSuperuser && (await isSuperuser(ctx.db, user.id)))
      throw new AppError('not_allowed', 'Only superusers may see the passkeys of superusers.')
    return (await findPasskeys(ctx.db, user.id)).map(viewPasskey)
  })

  route(api, deleteUserPasskey, async ({ caller, params }) => {
    await removeUserPasskey(ctx, caller, { userId: params.id, id: params.passkey_id })
    return null
  })

  route(api, startPasskeySignIn, ({ request }) => requestSignIn(ctx, request))

  route(api, signInWithPasskey, ({ body, request, reply }) =>
    signInByPasskey(desk, { assertion: body, request, reply }),
  )
}
