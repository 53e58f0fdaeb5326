import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { listPackages } from '@muster/contract/api/installers'
import { z } from 'zod'
import { Program, ROOT } from '../support/program.ts'
import { signIn } from '../support/sign-in.ts'
import { startServer } from '../support/start-server.ts'
import type { Figure } from './budgets.ts'

const RELEASE = join(ROOT, 'dist/packages')
const Version = z.object({ version: z.string() })

/** Downloads of machines: a package when they are installed, and the agent alone when it updates itself. */
export async function measurePackages(): Promise<Figure[]> {
  await using server = await startServer({ env: { MUSTER_PACKAGES: RELEASE } })
  const session = await signIn(server.url, server.admin)
  const list = async () => (await session.call(listPackages, {})).map(({ build }) => build)
  if ((await list()).some(({ state }) => state !== 'ready')) {
    console.log('Building the packages, which takes minutes ...')
    // Beside the server: its connections would end while this process waits for another one.
    await using builder = new Program(process.execPath, [join(ROOT, 'deploy/packages.mjs'), '--all'], {
      env: process.env,
    })
    if ((await builder.ended) !== 0) throw new Error(`the packages were not built:\n${builder.output()}`)
  }
  const sizes: [kind: string, megabytes: number][] = []
  for (const build of await list()) {
    if (build.state !== 'ready') throw new Error('a package was not built')
    sizes.push([kindOf(build.path), (await countBytes(server.url + build.path)) / 1e6])
  }
  const version = join(ROOT, 'apps/agent/dist/version.json')
  const { version: carried } = Version.parse(JSON.parse(readFileSync(version, 'utf8')))
  const update = await countBytes(`${server.url}/agent/versions/${carried}/agent.mjs`)
  const program = readFileSync(join(ROOT, 'apps/agent/dist/agent.mjs')).length
  return [
    {
      budget: 'packageSize',
      value: Math.max(...sizes.map(([, megabytes]) => megabytes)),
      remark: sizes.map(([kind, megabytes]) => `${kind} ${megabytes.toFixed(1)}`).join(', '),
    },
    { budget: 'updateSize', value: update / 1e6, remark: `${(program / 1e6).toFixed(2)} MB unpacked` },
  ]
}

/** `msi x64` of `/agent/packages/windows/x64/msi`. */
function kindOf(path: string): string {
  const [arch, format] = path.split('/').slice(-2)
  return `${format} ${arch}`
}

/** The bytes of a response as they travel. */
function countBytes(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`))
      let bytes = 0
      response.on('data', (part: Buffer) => (bytes += part.length))
      response.on('end', () => resolve(bytes))
      response.on('error', reject)
    })
    request.on('error', reject)
  })
}
