import { z } from 'zod'
import { measureSettings } from '../agent/checks.ts'
import { Severity } from '../fields.ts'

/** Checks of a machine that the server runs from its own network. */
export const SERVER_CHECK_TYPES = ['http', 'tcp', 'dns'] as const
export const ServerCheckType = z.enum(SERVER_CHECK_TYPES)
export type ServerCheckType = z.infer<typeof ServerCheckType>

/** Time limit of a measurement, which is the maximum of time thresholds. */
export const SERVER_CHECK_LIMIT_MS = 10_000
/** Limit for reading and searching a response. */
export const MAX_BODY_BYTES = 1_000_000
export const DNS_RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'TXT'] as const

const Name = z.string().trim().min(1, 'A name is needed.').max(255)
const Milliseconds = z.number().min(0).max(SERVER_CHECK_LIMIT_MS).default(0)
const Days = z.int().min(0).max(3650)
const Host = measureSettings.ping.shape.ip
const alert_severity = Severity.default('warning')
const responseTime = { warning_threshold: Milliseconds, error_threshold: Milliseconds }

const Url = z
  .string()
  .trim()
  .min(1, 'An address is needed.')
  .max(2000)
  .superRefine((text, issues) => {
    const message = text === '' ? undefined : describeWrongUrl(text)
    if (message !== undefined) issues.addIssue({ code: 'custom', message })
  })

function describeWrongUrl(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    return 'Use a full address that starts with http:// or https://.'
  const { username, password, hostname } = new URL(text)
  if (username !== '' || password !== '')
    return 'Remove the user name and password. All users who see the check could read them.'
  return Host.safeParse(hostname.replace(/^\[|\]$/g, '')).success ? undefined : 'Invalid host name'
}

/** An address with or without a port: `192.0.2.53`, `192.0.2.53:5353`, `[2001:db8::1]:53`. */
export function splitResolver(text: string): { address: string; port: number } | undefined {
  const [, inBrackets, bare, digits] = /^(?:\[([^\]]+)\]|([^[\]]+?))(?::(\d{1,5}))?$/.exec(text) ?? []
  // Without brackets an IPv6 address has no port.
  if (z.ipv6().safeParse(text).success) return { address: text, port: 53 }
  const port = digits === undefined ? 53 : Number(digits)
  const address = inBrackets ?? bare ?? ''
  const isAddress = (inBrackets === undefined ? z.ipv4() : z.ipv6()).safeParse(address).success
  return isAddress && port > 0 && port < 65_536 ? { address, port } : undefined
}

/** The own fields of each type. Texts are searched literally, never as patterns. */
export const serverCheckFields = {
  http: z.object({
    name: Name,
    url: Url,
    method: z.enum(['GET', 'HEAD']).default('GET'),
    /** Empty = 200 to 399. */
    expected_status: z.array(z.int().min(100).max(599)).max(50).default([]),
    /** Must appear in the response, and must not; null = any. */
    text_present: z.string().min(1).max(1000).nullable().default(null),
    text_absent: z.string().min(1).max(1000).nullable().default(null),
    /** Milliseconds; 0 = none. */
    ...responseTime,
    /** Minimum number of days that the certificate is still valid; 0 = any. */
    cert_warning_days: Days.default(14),
    cert_error_days: Days.default(3),
    follow_redirects: z.boolean().default(true),
    ignore_certificate: z.boolean().default(false),
    alert_severity,
  }),
  tcp: z.object({
    name: Name,
    host: Host,
    port: z.int().min(1).max(65_535),
    ...responseTime,
    alert_severity,
  }),
  dns: z.object({
    name: Name,
    /** The record type. */
    record_name: z
      .string()
      .trim()
      .min(1, 'A name is needed.')
      .max(253)
      .regex(/^[A-Za-z0-9_*](?:[A-Za-z0-9_.-]*)$/, 'Use a domain name, such as example.org.'),
    record_type: z.enum(DNS_RECORD_TYPES).default('A'),
    /** Must be among the answers; null = any answer. */
    expected_value: z.string().trim().min(1).max(500).nullable().default(null),
    /** Null = the server's own resolver. */
    resolver: z
      .string()
      .trim()
      .max(60)
      .refine((text) => splitResolver(text) !== undefined, 'Use an address, such as 192.0.2.53.')
      .nullable()
      .default(null),
    alert_severity,
  }),
} as const satisfies Record<ServerCheckType, z.ZodType>

const Reason = z.string().max(500)
const Ms = z.number().min(0).nullable()

/** Measurements of the server. `reason`: why there was no response; empty if there was one. */
export const ServerMeasured = z.discriminatedUnion('check_type', [
  z.object({
    check_type: z.literal('http'),
    reason: Reason,
    status: z.int().nullable(),
    ms: Ms,
    /** Null if no text was expected. */
    has_present: z.boolean().nullable(),
    has_absent: z.boolean().nullable(),
    /** The response was longer than the limit. */
    is_cut: z.boolean(),
    /** Days until the certificate expires; null without one. */
    cert_days: z.number().nullable(),
  }),
  z.object({ check_type: z.literal('tcp'), reason: Reason, ms: Ms }),
  z.object({
    check_type: z.literal('dns'),
    reason: Reason,
    ms: Ms,
    answers: z.array(z.string().max(500)).max(50),
  }),
])
export type ServerMeasured = z.infer<typeof ServerMeasured>
