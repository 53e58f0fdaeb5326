import type { ChannelSettings } from '@muster/contract/api/alert-channels'
import { createTransport, type SMTPTransportOptions } from 'nodemailer'
import type { OutboundTargets } from '../../../../platform/config/config.ts'
import { type AcknowledgeLink, cut, type Message, oneLine } from '../message.ts'
import { mailOf } from './email-body.ts'
import {
  connectReceiver,
  describeConnectError,
  describeNetworkError,
  type Outcome,
  type Receiver,
} from './web-request.ts'
import { refreshToken } from './oauth2.ts'

export type EmailSettings = Extract<ChannelSettings, { kind: 'email' }>

const CONNECT_MS = 10_000
const SILENCE_MS = 15_000
/** For the whole delivery, which bounds a server that replies byte by byte. */
const LIMIT_MS = 30_000
/** More recipients get one mail without a link: mails of their own would take too long. */
export const MAX_LINKED_MAILS = 10
const MAX_ANSWER_LENGTH = 500

export type MailOutcome = Outcome & {
  /** A new refresh token from the mail provider that replaces the old one. */
  rotatedToken?: string
}

/**
 * Sends one mail to all recipients, or one to each if each has a link of its own. Some of several delivered counts as
 * success: retrying would notify the others twice.
 */
export async function sendEmail(
  settings: EmailSettings,
  message: Message,
  targets: OutboundTargets,
): Promise<MailOutcome> {
  const signIn = await prepareSignIn(settings, targets)
  if (!signIn.ok) return signIn.outcome
  const { rotated } = signIn
  const more = rotated === undefined ? {} : { rotatedToken: rotated }
  const parts = message.links.length === 0 ? [undefined] : message.links
  const limit = AbortSignal.timeout(LIMIT_MS)
  const outcomes: Outcome[] = []
  for (const link of parts) {
    const own = link === undefined ? settings : { ...settings, recipients: [link.recipient] }
    outcomes.push(await sendOne(own, { message, link, options: signIn.options }, { targets, limit }))
  }
  return { ...summarize(outcomes), ...more }
}

function summarize(outcomes: readonly Outcome[]): Outcome {
  const [first] = outcomes
  if (first === undefined) return { ok: false, answer: 'The channel has no recipients. Add one.' }
  const failed = outcomes.filter(({ ok }) => !ok)
  const [worst] = failed
  if (worst === undefined) return first
  if (failed.length < outcomes.length) {
    const answer = `${failed.length} of ${outcomes.length} mails were not delivered: ${worst.answer}`
    return { ok: true, answer: cut(answer, MAX_ANSWER_LENGTH) }
  }
  return failed.find(({ unsure }) => unsure) ?? worst
}

interface Mail {
  message: Message
  link: AcknowledgeLink | undefined
  options: SMTPTransportOptions
}

/** Sends a mail on its own connection, which is closed when this returns. */
async function sendOne(
  settings: EmailSettings,
  { message, link, options }: Mail,
  { targets, limit }: { targets: OutboundTargets; limit: AbortSignal },
): Promise<Outcome> {
  const where = `${settings.smtp_host}:${settings.smtp_port}`
  const signal = AbortSignal.any([limit, AbortSignal.timeout(CONNECT_MS)])
  let receiver: Receiver
  try {
    receiver = await connectReceiver(
      { host: settings.smtp_host, port: settings.smtp_port },
      { targets, signal },
    )
  } catch (error) {
    return { ok: false, answer: describeConnectError(error, where, signal) }
  }
  const { socket: connection, isPublic } = receiver
  const transport = createTransport({ ...connectionOf(settings), connection, ...options })
  try {
    const info = await transport.sendMail({
      ...mailOf(message, domainOf(settings.smtp_from_email), link),
      from: { name: oneLine(settings.smtp_from_name), address: settings.smtp_from_email },
      to: settings.recipients.map((address) => ({ name: '', address })),
      signal: limit,
    })
    const refused =
      info.rejected.length === 0
        ? ''
        : ` Refused: ${info.rejected.map((address) => String(address)).join(', ')}`
    return { ok: true, answer: cut(shownReply(info.response, isPublic) + refused, MAX_ANSWER_LENGTH) }
  } catch (error) {
    return describeFailure(error, { where, isPublic })
  } finally {
    transport.close()
    connection.destroy()
  }
}

function connectionOf(settings: EmailSettings): SMTPTransportOptions {
  const { smtp_security: security } = settings
  return {
    host: settings.smtp_host,
    port: settings.smtp_port,
    secure: security === 'tls',
    // STARTTLS must not fall back to plain text if an attacker strips it.
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    socketCloseTimeout: 0,
  }
}

type SignIn = { ok: true; options: SMTPTransportOptions; rotated?: string } | { ok: false; outcome: Outcome }

async function prepareSignIn(settings: EmailSettings, targets: OutboundTargets): Promise<SignIn> {
  const user = settings.smtp_host_user
  if (settings.smtp_auth === 'none') return { ok: true, options: {} }
  if (settings.smtp_auth === 'password') {
    // Without forceAuth, a server that offers no sign-in would get the mail without one.
    return { ok: true, options: { auth: { user, pass: settings.smtp_host_password }, forceAuth: true } }
  }
  const token = await refreshToken(settings, targets)
  if (!token.ok) return { ok: false, outcome: token }
  const options = { auth: { type: 'OAuth2', user, accessToken: token.accessToken }, forceAuth: true }
  return { ok: true, options, ...(token.rotated === undefined ? {} : { rotated: token.rotated }) }
}

/** The reply of the mail server, or a description of the connection error. */
function describeFailure(error: unknown, { where, isPublic }: { where: string; isPublic: boolean }): Outcome {
  if (!(error instanceof Error)) return { ok: false, answer: `${where}: ${String(error)}` }
  const { code = '', response = '', responseCode, command, syscall } = readFields(error)
  if (code === 'EAUTH' && response === '') {
    return { ok: false, answer: `${where} offers no supported sign-in: ${oneLine(error.message)}` }
  }
  if (code === 'ETLS' && /STARTTLS|does not support|not advertise|upgrading/i.test(error.message)) {
    return {
      ok: false,
      answer: cut(
        `${where} offers no STARTTLS: ${response === '' ? oneLine(error.message) : shownReply(response, isPublic)}`,
        MAX_ANSWER_LENGTH,
      ),
    }
  }
  if (responseCode !== undefined || response !== '') {
    const step = command === undefined || command === 'CONN' ? '' : ` (to ${command})`
    return { ok: false, answer: cut(shownReply(response, isPublic) + step, MAX_ANSWER_LENGTH) }
  }
  if (code === 'ETIMEDOUT' || code === 'EABORT') {
    return { ok: false, answer: `${where} did not respond in time.`, unsure: true }
  }
  const cause = error.cause instanceof Error ? error.cause : error
  const answer = describeNetworkError(cause, where)
  const isCertain = syscall === 'connect' || syscall === 'getaddrinfo' || code === 'EDNS' || code === 'ETLS'
  return isCertain ? { ok: false, answer } : { ok: false, answer, unsure: true }
}

/** For servers at private addresses only the codes are shown. */
export function shownReply(response: string, isPublic: boolean): string {
  if (isPublic) return oneLine(response)
  const [codes] = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?(?![^\s-])/.exec(response) ?? []
  return codes ?? 'The response is not from a mail server.'
}

interface SmtpFault {
  code?: string
  response?: string
  responseCode?: number
  command?: string
  syscall?: string
}

function readFields(error: Error): SmtpFault {
  // Nodemailer's errors have these fields if they are known.
  return error as SmtpFault
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
