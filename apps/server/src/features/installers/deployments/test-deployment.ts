import { randomUUID } from 'node:crypto'
import type { Context } from '../../../context.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import { createEnrolToken } from '../enrol-machine.ts'

/** An address that installs agents at this site. */
export async function givenDeployment(ctx: Context, siteId: number, name: string): Promise<number> {
  const token = await createEnrolToken(ctx.db, {
    siteId,
    monitoringType: 'server',
    plat: 'windows',
    uses: 9,
    expiresAt: new Date(ctx.now().getTime() + 3_600_000).toISOString(),
    createdBy: `${name}-user`,
    now: ctx.now(),
  })
  const row = await ctx.db
    .selectFrom('enrol_tokens')
    .select('id')
    .where('digest', '=', digestOf(token))
    .executeTakeFirstOrThrow()
  const uid = randomUUID()
  const deployment = await ctx.db
    .insertInto('deployments')
    .values({
      token_id: row.id,
      uid_digest: digestOf(uid),
      uid: ctx.secrets.encrypt(uid),
      token: ctx.secrets.encrypt(token),
      goarch: 'amd64',
      created_at: ctx.now().toISOString(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return deployment.id
}
