import { readFileSync } from 'node:fs'
import { X509Certificate } from 'node:crypto'
import { closeDataFolder } from '../identity/data-folder.ts'
import { tryFindIdentity } from '../identity/identity.ts'
import { isLoopback } from '../link/address.ts'
import { enrolMachine } from '../link/enrol-machine.ts'
import { chooseProxy, describeProxy } from '../link/proxy.ts'
import { describeError } from '../log/log.ts'
import { os } from '../os/index.ts'
import { CliError } from '../errors.ts'
import { removePending } from './pending-enrolment.ts'

export interface GivenEnrolment {
  server: string | undefined
  token: string | undefined
  caFile: string | undefined
  /** Its address, or `none`. */
  proxy: string | undefined
}

/**
 * Throws CliError if something is missing or cannot be right. Services get no variables of the shell, so the proxy is chosen
 * here and kept.
 */
export async function readEnrolment({ server, token, caFile, proxy }: GivenEnrolment) {
  const serverUrl = readServerUrl(server)
  if (token === undefined)
    throw new CliError(
      '--token or MUSTER_ENROL_TOKEN is missing. Copy it from the Install Agent dialog of the console',
    )
  if (token.length < 20 || token.length > 200) throw new CliError('the token is incomplete. Copy it again')
  const ofSystem = async () => os.findSystemProxy?.()
  return {
    serverUrl,
    token,
    caPem: caFile ? readCa(caFile) : null,
    proxy: await chooseProxy(serverUrl, { given: proxy, env: process.env, ofSystem }),
  }
}

export async function enrol(options: GivenEnrolment & { folder: string }): Promise<void> {
  const { serverUrl, token, caPem, proxy } = await readEnrolment(options)
  const corrected = closeDataFolder(options.folder)
  if (corrected !== undefined) process.stderr.write(`muster-agent: ${options.folder}: ${corrected}\n`)
  const before = tryFindIdentity(options.folder)
  const identity = await enrolMachine({ folder: options.folder, serverUrl, token, caPem, proxy, os })
  removePending(options.folder)
  if (new URL(serverUrl).protocol === 'http:' && !isLoopback(serverUrl)) {
    process.stderr.write('muster-agent: warning: the connection to this server is not encrypted\n')
  }
  const how = identity.reattached || before?.agent_id === identity.agent_id ? 'enrolled again' : 'enrolled'
  const way = proxy === null ? '' : ` through the proxy ${describeProxy(proxy)}`
  process.stdout.write(`This machine is ${how} at ${serverUrl}${way} as ${identity.agent_id}.\n`)
}

function readServerUrl(text: string | undefined): string {
  if (text === undefined)
    throw new CliError('--server is missing. Set it to the address of the Muster server')
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new CliError(`"${text}" is not a valid address. Example: https://muster.example.com`)
  }
  url.hash = ''
  url.search = ''
  return url.href.replace(/\/+$/, '')
}

export function readCa(file: string): string {
  try {
    const pem = readFileSync(file, 'utf8')
    // With a file that holds no certificate, Node would silently trust no server at all.
    void new X509Certificate(pem)
    return pem
  } catch (cause) {
    throw new CliError(`the file ${file} contains no PEM certificate: ${describeError(cause)}`)
  }
}
