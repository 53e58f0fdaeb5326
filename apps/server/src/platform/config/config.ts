import { isIP } from 'node:net'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { readFileSync } from 'node:fs'

/** The version in this program's package.json. */
export const VERSION = readVersion()

function readVersion(): string {
  const url = new URL('../../../package.json', import.meta.url)
  // Our own package file.
  const { version } = JSON.parse(readFileSync(url, 'utf8')) as { version: string }
  return version
}

/** The agent as `npm start` builds it. */
const AGENT_FOLDER = resolve(import.meta.dirname, '../../../../agent/dist')

/** Where `npm run packages` puts them. */
const RELEASE_PACKAGES = resolve(import.meta.dirname, '../../../../../dist/packages')

/** An address without a path. Muster needs a host name or a port of its own: its paths are fixed. */
const Origin = z
  .string()
  .trim()
  .pipe(z.url({ protocol: /^https?$/ }))
  .transform((text, refusal) => {
    const { origin, username, password, pathname, search, hash } = new URL(text)
    const rest = `${pathname}${search}${hash}`
    const isWhole = rest === '/' && username + password === ''
    if (!isWhole) {
      const dropped = rest === '/' ? 'the user name' : `"${rest.replace(/^\/(?=[?#])/, '')}"`
      refusal.addIssue(
        `must be a scheme and a host only: write ${origin} without ${dropped} (Muster needs a host name or port of its own)`,
      )
    }
    return origin
  })

/** An address of which every part is used. */
const PlainUrl = (protocol: RegExp, unused: ('pathname' | 'search' | 'hash' | 'username')[]) =>
  z.url({ protocol }).refine(
    (text) => {
      const url = new URL(text)
      return unused.every((part) => url[part] === '' || url[part] === '/')
    },
    `write it without ${unused.map((part) => PARTS[part]).join(', ')}`,
  )

const PARTS = { pathname: 'a path', search: '"?"', hash: '"#"', username: 'a user name' }

/** A name or an IP address, without a scheme, port or path. */
const Host = z
  .string()
  .trim()
  .refine((text) => isIP(text) !== 0 || /^[\w.-]+$/.test(text), 'write a host name or an IP address only')

const MEGABYTE = 1024 * 1024

const isAddressRange = (text: string): boolean => ipaddr.isValid(text) || ipaddr.isValidCIDR(text)

const OUTBOUND_TARGETS = ['public', 'lan', 'any'] as const

const Environment = z.object({
  MUSTER_HOST: Host.default('127.0.0.1'),
  MUSTER_PORT: z.coerce.number().int().min(0).max(65_535).default(8420),
  MUSTER_DATA: z.string().min(1).default('./data'),
  MUSTER_PUBLIC_URL: Origin.optional(),
  MUSTER_TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''))
    .refine((parts) => parts.every(isAddressRange), 'write addresses or ranges such as 10.0.0.0/8'),
  MUSTER_ADMIN_USER: z.string().trim().min(1).max(150).default('admin'),
  MUSTER_ADMIN_PASSWORD: z.string().min(10).max(1024).optional(),
  MUSTER_ALLOWED_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''))
    .pipe(z.array(Origin)),
  MUSTER_TLS_CERT: z.string().min(1).optional(),
  MUSTER_TLS_KEY: z.string().min(1).optional(),
  MUSTER_CHECK_TARGETS: z.enum(OUTBOUND_TARGETS).optional(),
  MUSTER_CHANNEL_TARGETS: z.enum(OUTBOUND_TARGETS).optional(),
  MUSTER_METRICS_TOKEN: z
    .string()
    .regex(/^\S{20,200}$/, 'use 20 to 200 characters without spaces')
    .optional(),
  MUSTER_HOSTED: z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).default(false),
  MUSTER_PACKAGE_BUILDER: z.string().min(1).optional(),
  MUSTER_PACKAGES: z.string().min(1).default(RELEASE_PACKAGES),
  MUSTER_MIN_FREE_MB: z.coerce.number().int().min(0).max(1_000_000).default(200),
  MUSTER_BACKUP_PASSPHRASE: z.string().min(10, 'use 10 characters or more').max(1024).optional(),
  MUSTER_BACKUP_FOLDER: z.string().min(1).optional(),
  MUSTER_BACKUP_TIME: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'write HH:MM')
    .default('02:30'),
  MUSTER_BACKUP_DAILY: z.coerce.number().int().min(1).max(366).default(7),
  MUSTER_BACKUP_WEEKLY: z.coerce.number().int().min(0).max(520).default(4),
  MUSTER_OPENAI_URL: PlainUrl(/^https?$/, ['search', 'hash', 'username']).optional(),
  MUSTER_OPENAI_MODEL: z.string().min(1).optional(),
  MUSTER_OPENAI_KEY: z.string().min(1).optional(),
  MUSTER_AGENT_FOLDER: z.string().min(1).default(AGENT_FOLDER),
  MUSTER_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  NATS_URL: PlainUrl(/^(nats|tls)$/, ['pathname', 'search', 'hash']).optional(),
})

/**
 * `public`: internet addresses; `lan`: also private networks; `any`: also this machine, its link-local neighbours and
 * cloud metadata services.
 */
export type OutboundTargets = (typeof OUTBOUND_TARGETS)[number]

export interface Config {
  host: string
  port: number
  dataFolder: string
  publicUrl: string | undefined
  /** Proxies on other machines that forward the client's address. */
  trustedProxies: string[]
  adminUser: string
  adminPassword: string | undefined
  allowedOrigins: string[]
  tls: { certFile: string; keyFile: string } | undefined
  /** Addresses that server checks may reach. */
  checkTargets: OutboundTargets
  /** Addresses at which alert channels, webhooks and sign-in providers are reached. */
  channelTargets: OutboundTargets
  /** Token that lets other hosts read /metrics. */
  metricsToken: string | undefined
  /** A provider runs the server for others: users have no access to its host. */
  hosted: boolean
  /** The program that builds packages of the agent, instead of deploy/packages.mjs. */
  packageBuilder: string | undefined
  /** The folder with the packages of the release. */
  releasePackages: string
  /** The built agent that this server offers to its machines. */
  agentFolder: string
  /** With less free space in the data folder the server is read-only; 0 = never. */
  minFreeBytes: number
  /** Encrypts backups of this server. */
  backupPassphrase: string | undefined
  /** Backups that the server writes every day; undefined = none. */
  backups: { folder: string; time: string; daily: number; weekly: number } | undefined
  /** A server with an OpenAI-compatible API, used to generate scripts. */
  openAi: { url: string; model: string; key: string | undefined } | undefined
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  databaseUrl: string | undefined
  natsUrl: string | undefined
  isLoopback: boolean
}

/** An invalid setting. The message is one line that names it. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Reads every setting from the environment once. Empty values count as absent. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const name = String(issue?.path[0])
    if (issue?.message.startsWith('must be') === true) throw new ConfigError(`${name} ${issue.message}`)
    throw new ConfigError(`${name} is not valid: ${issue?.message}`)
  }
  const value = parsed.data
  if ((value.MUSTER_TLS_CERT === undefined) !== (value.MUSTER_TLS_KEY === undefined)) {
    throw new ConfigError('MUSTER_TLS_CERT and MUSTER_TLS_KEY must be given together')
  }
  if ((value.MUSTER_OPENAI_URL === undefined) !== (value.MUSTER_OPENAI_MODEL === undefined)) {
    throw new ConfigError('MUSTER_OPENAI_URL and MUSTER_OPENAI_MODEL must be given together')
  }
  if (value.MUSTER_BACKUP_FOLDER !== undefined && value.MUSTER_BACKUP_PASSPHRASE === undefined) {
    throw new ConfigError('MUSTER_BACKUP_FOLDER needs MUSTER_BACKUP_PASSPHRASE: backups are encrypted')
  }
  if (value.NATS_URL !== undefined && value.DATABASE_URL === undefined) {
    throw new ConfigError('NATS_URL needs DATABASE_URL: several processes cannot share the embedded database')
  }
  // The private network of a provider is not that of its clients.
  const usualTargets = value.MUSTER_HOSTED ? 'public' : 'lan'
  return {
    host: value.MUSTER_HOST,
    port: value.MUSTER_PORT,
    dataFolder: resolve(value.MUSTER_DATA),
    publicUrl: value.MUSTER_PUBLIC_URL,
    trustedProxies: value.MUSTER_TRUSTED_PROXIES,
    adminUser: value.MUSTER_ADMIN_USER,
    adminPassword: value.MUSTER_ADMIN_PASSWORD,
    allowedOrigins: value.MUSTER_ALLOWED_ORIGINS,
    tls:
      value.MUSTER_TLS_CERT !== undefined && value.MUSTER_TLS_KEY !== undefined
        ? { certFile: value.MUSTER_TLS_CERT, keyFile: value.MUSTER_TLS_KEY }
        : undefined,
    checkTargets: value.MUSTER_CHECK_TARGETS ?? usualTargets,
    channelTargets: value.MUSTER_CHANNEL_TARGETS ?? usualTargets,
    metricsToken: value.MUSTER_METRICS_TOKEN,
    hosted: value.MUSTER_HOSTED,
    packageBuilder:
      value.MUSTER_PACKAGE_BUILDER === undefined ? undefined : resolve(value.MUSTER_PACKAGE_BUILDER),
    releasePackages: resolve(value.MUSTER_PACKAGES),
    minFreeBytes: value.MUSTER_MIN_FREE_MB * MEGABYTE,
    backupPassphrase: value.MUSTER_BACKUP_PASSPHRASE,
    backups:
      value.MUSTER_BACKUP_FOLDER === undefined
        ? undefined
        : {
            folder: resolve(value.MUSTER_BACKUP_FOLDER),
            time: value.MUSTER_BACKUP_TIME,
            daily: value.MUSTER_BACKUP_DAILY,
            weekly: value.MUSTER_BACKUP_WEEKLY,
          },
    openAi:
      value.MUSTER_OPENAI_URL !== undefined && value.MUSTER_OPENAI_MODEL !== undefined
        ? { url: value.MUSTER_OPENAI_URL, model: value.MUSTER_OPENAI_MODEL, key: value.MUSTER_OPENAI_KEY }
        : undefined,
    agentFolder: resolve(value.MUSTER_AGENT_FOLDER),
    logLevel: value.MUSTER_LOG_LEVEL,
    databaseUrl: value.DATABASE_URL,
    natsUrl: value.NATS_URL,
    isLoopback: isLoopbackHost(value.MUSTER_HOST) && isLoopbackUrl(value.MUSTER_PUBLIC_URL),
  }
}

export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  if (bare === 'localhost' || bare === '::1') return true
  return isIP(bare) === 4 && bare.startsWith('127.')
}

function isLoopbackUrl(url: string | undefined): boolean {
  return url === undefined || isLoopbackHost(new URL(url).hostname)
}
