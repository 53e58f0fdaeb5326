import { createHmac } from 'node:crypto'
import { createAlertChannel } from '@muster/contract/api/alert-channels'
import { expect } from '@playwright/test'
import type { Post } from './receivers.ts'
import type { Session } from './sign-in.ts'

const SECRET = 'a secret of the two'

/** Adds a mail channel to ops@example.com, and a webhook with signed posts. */
export async function addChannels(
  admin: Session,
  { mail, hook }: { mail: { port: number }; hook: { url: string } },
): Promise<void> {
  await admin.call(createAlertChannel, {
    body: {
      name: 'Operations',
      settings: {
        kind: 'email',
        smtp_host: '127.0.0.1',
        smtp_port: mail.port,
        smtp_security: 'none',
        smtp_auth: 'none',
        smtp_from_email: 'muster@example.com',
        recipients: ['ops@example.com'],
      },
      rules: {},
    },
  })
  await admin.call(createAlertChannel, {
    body: { name: 'Tickets', settings: { kind: 'webhook', url: hook.url, secret: SECRET }, rules: {} },
  })
}

/** As the contract says: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`. */
export function expectSigned(post: Post | undefined): void {
  const [, at = '', signature = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(post?.headers['muster-signature'])) ?? []
  expect(signature).toBe(createHmac('sha256', SECRET).update(`${at}.${post?.body}`).digest('hex'))
}
