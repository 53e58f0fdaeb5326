import type { ChannelRules, ChannelSettings } from '@muster/contract/api/alert-channels'
import { AppError } from '@muster/contract/errors'
import { isTimeZone } from '@muster/rules/schedules/zone-time'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { findClientIds } from './queries.ts'
import { checkTemplate } from './senders/template.ts'
import { topicOf } from './senders/ntfy.ts'

/** Headers that control the request itself. */
const OWN_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'muster-delivery',
  'muster-signature',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

type Fault = [field: string, sentence: string]

/** Throws a validation error at the field that does not fit the others. */
export function checkSettings(settings: ChannelSettings): void {
  refuseFirst(settingsFaults(settings))
}

/** Validates rules. Already listed clients may have been deleted. */
export async function checkRules(
  db: Db,
  caller: Caller,
  rules: ChannelRules,
  before: readonly number[] = [],
): Promise<void> {
  refuseFirst(ruleFaults(rules))
  refuseOutOfScope(caller, rules)
  const added = rules.clients.filter((id) => !before.includes(id))
  const known = await findClientIds(db, added)
  refuseFirst(
    added.filter((id) => !known.has(id)).map(() => ['rules.clients', 'This client does not exist.']),
  )
}

/** A channel forwards its alerts to anyone, so its author must see every client that it names. */
function refuseOutOfScope({ scope }: Caller, { clients }: ChannelRules): void {
  if (scope.all) return
  const refuse = (code: 'not_allowed' | 'not_found', sentence: string) => {
    throw new AppError(code, sentence, { fields: { 'rules.clients': [sentence] } })
  }
  if (clients.length === 0) refuse('not_allowed', 'Your role is limited to some clients. Choose among them.')
  if (clients.some((id) => !scope.clientIds.includes(id)))
    refuse('not_found', 'One of these clients does not exist, or you may not see all of it.')
}

function* settingsFaults(settings: ChannelSettings): Generator<Fault> {
  if (settings.kind === 'email') {
    if (/[\s/@]/.test(settings.smtp_host)) yield ['settings.smtp_host', 'Enter a host name or an address.']
    if (settings.smtp_auth !== 'none' && settings.smtp_host_user.trim() === '')
      yield ['settings.smtp_host_user', 'Enter the user name for the sign-in.']
    if (settings.smtp_auth === 'password' && settings.smtp_host_password === '')
      yield ['settings.smtp_host_password', 'Enter the password for the sign-in.']
    if (settings.smtp_auth === 'oauth2') {
      const needed = ['oauth2_token_url', 'oauth2_client_id', 'oauth2_refresh_token'] as const
      for (const name of needed)
        if (settings[name] === '') yield [`settings.${name}`, 'This field is required for OAuth2.']
    }
  }
  if (settings.kind === 'ntfy' && topicOf(settings.url) === undefined)
    yield ['settings.url', 'The address must end with the topic, for example https://ntfy.sh/alerts.']
  if (settings.kind !== 'webhook') return
  const names = settings.headers.map(({ name }) => name.toLowerCase())
  const own = names.find((name) => OWN_HEADERS.has(name))
  if (own !== undefined) yield ['settings.headers', `The header ${own} is set by Muster.`]
  if (new Set(names).size < names.length) yield ['settings.headers', 'Use each header only once.']
  const fault = checkTemplate(settings.body_template)
  if (fault !== undefined) yield ['settings.body_template', fault]
}

function* ruleFaults(rules: ChannelRules): Generator<Fault> {
  if (!isTimeZone(rules.time_zone)) yield ['rules.time_zone', 'This time zone does not exist.']
  if ((rules.quiet_from === '') !== (rules.quiet_to === ''))
    yield [rules.quiet_from === '' ? 'rules.quiet_from' : 'rules.quiet_to', 'Enter both times or none.']
  if (rules.quiet_from !== '' && rules.quiet_from === rules.quiet_to)
    yield ['rules.quiet_to', 'The end must differ from the start.']
}

function refuseFirst(faults: Iterable<Fault>): void {
  for (const [field, sentence] of faults) {
    throw new AppError('invalid', `"${field}" is not valid: ${sentence}`, { fields: { [field]: [sentence] } })
  }
}
