import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { EmailSettings } from './senders/email.ts'
import { TEST_CERT, TEST_KEY } from './test-certificate.ts'

export interface ReceivedMail {
  from: string
  to: string[]
  /** The raw mail. */
  raw: string
  headers: Map<string, string>
  /** Whether it was encrypted. */
  secure: boolean
  user: string
}

export interface TestSmtp extends AsyncDisposable {
  port: number
  mails: ReceivedMail[]
  /** Responses that replace the default ones of these commands. */
  refuse: { sender?: string; recipient?: string; data?: string }
}

interface Options {
  security?: 'starttls' | 'tls' | 'none'
  /** The accepted sign-in. Not required if absent. */
  password?: string
  accessToken?: string
}

/** A channel that sends through a mail server on this machine. */
export const emailTo = (port: number, change: Partial<EmailSettings> = {}): EmailSettings => ({
  kind: 'email',
  smtp_host: '127.0.0.1',
  smtp_port: port,
  smtp_security: 'none',
  smtp_auth: 'none',
  smtp_host_user: '',
  smtp_host_password: '',
  oauth2_token_url: '',
  oauth2_client_id: '',
  oauth2_client_secret: '',
  oauth2_refresh_token: '',
  smtp_from_email: 'muster@example.com',
  smtp_from_name: 'Muster',
  recipients: ['ops@example.com'],
  ...change,
})

/** A real mail server on a free loopback port. */
export async function openTestSmtp({
  security = 'none',
  password,
  accessToken,
}: Options = {}): Promise<TestSmtp> {
  const mails: ReceivedMail[] = []
  const refuse: TestSmtp['refuse'] = {}
  const wantsSignIn = password !== undefined || accessToken !== undefined
  const options: SMTPServerOptions = {
    secure: security === 'tls',
    cert: TEST_CERT,
    key: TEST_KEY,
    disabledCommands: [...(security === 'none' ? ['STARTTLS'] : []), ...(wantsSignIn ? [] : ['AUTH'])],
    authOptional: !wantsSignIn,
    allowInsecureAuth: true,
    authMethods: accessToken === undefined ? ['PLAIN', 'LOGIN'] : ['XOAUTH2'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth(auth, _session, callback) {
      const ok = accessToken === undefined ? auth.password === password : auth.accessToken === accessToken
      if (ok) callback(null, { user: auth.username ?? '' })
      else callback(reply(535, '5.7.8 Wrong user name or password'))
    },
    onMailFrom: (_address, _session, callback) => callback(refusal(refuse.sender)),
    onRcptTo: (_address, _session, callback) => callback(refusal(refuse.recipient)),
    onData(stream, session, callback) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.once('end', () => {
        if (refuse.data !== undefined) return callback(refusal(refuse.data))
        const raw = Buffer.concat(parts).toString('utf8')
        mails.push({
          from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map(({ address }) => address),
          raw,
          headers: readHeaders(raw),
          secure: session.secure,
          user: String(session.user ?? ''),
        })
        callback(null, `2.0.0 Queued as ${mails.length}`)
      })
    },
  }
  const server = new SMTPServer(options)
  // Some tests close the connection early.
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    port: address.port,
    mails,
    refuse,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function refusal(sentence: string | undefined): Error | null {
  if (sentence === undefined) return null
  return reply(Number(sentence.slice(0, 3)), sentence.slice(4))
}

function reply(responseCode: number, sentence: string): Error {
  return Object.assign(new Error(sentence), { responseCode })
}

function readHeaders(raw: string): Map<string, string> {
  const [head = ''] = raw.split('\r\n\r\n', 1)
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
}
