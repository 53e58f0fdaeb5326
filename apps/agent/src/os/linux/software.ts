import type { InstalledPackage } from '@muster/contract/agent/software'
import { PACKAGE_STATES } from '@muster/rules/agents/package-states'
import { findProgram } from '../../run/find-program.ts'
import { MeasureError } from '../../errors.ts'
import { dayOf, listHomebrew, sizeOf, type SoftwareTools } from '../package-tools.ts'
import { firstLine, runTool } from '../run-tool.ts'

const LIMIT_MS = 30_000
const DPKG_FORMAT =
  '${db:Status-Want} ${db:Status-Eflag} ${db:Status-Status}\\t${Package}\\t${Architecture}\\t${Version}\\t${Installed-Size}\\t${db-fsys:Last-Modified}\\t${Maintainer}\\n'
const RPM_FORMAT =
  '%{NAME}\\t%|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\t%{ARCH}\\t%{SIZE}\\t%{INSTALLTIME}\\t%{VENDOR}\\n'

const managers = [
  { tool: 'dpkg-query', args: ['-W', `-f=${DPKG_FORMAT}`], parse: parseDpkg },
  { tool: 'rpm', args: ['-qa', '--qf', RPM_FORMAT], parse: parseRpm },
]

export const linuxSoftware: SoftwareTools = {
  async list(signal) {
    const there = managers.filter(({ tool }) => findProgram(tool) !== undefined)
    const brewed = listHomebrew(['/home/linuxbrew/.linuxbrew'])
    if (there.length === 0 && brewed.length === 0)
      throw new MeasureError('This machine has neither dpkg nor rpm, so its software cannot be listed.')
    const lists = await Promise.all(
      there.map(async ({ tool, args, parse }) => {
        const { code, stdout, stderr } = await runTool(tool, args, { signal, timeoutMs: LIMIT_MS })
        if (code !== 0) throw new MeasureError(`${tool} failed to list the software: ${firstLine(stderr)}`)
        return parse(stdout)
      }),
    )
    return [...lists.flat(), ...brewed]
  },
}

/** States without files on the disk, but for leftover configuration. */
const NOT_ON_DISK = ['not-installed', 'config-files']

/**
 * Parses dpkg-query with DPKG_FORMAT. All that has files on the disk is listed, also if its installation was
 * interrupted.
 */
export function parseDpkg(output: string): InstalledPackage[] {
  const lines = output.split('\n').map((line) => line.split('\t'))
  const native = lines.find(([, name]) => name === 'dpkg')?.[2] ?? process.arch
  return lines.flatMap(([words = '', name, arch, version, kilobytes = '', changed = '', maintainer = '']) => {
    const [want = '', errors = '', status = ''] = words.split(' ')
    if (status === '' || NOT_ON_DISK.includes(status) || !name || version === undefined) return []
    const states = readStates({ want, errors, status })
    return [
      {
        // On multi-architecture systems, packages of the other architecture are marked.
        name: arch === native || arch === 'all' ? name : `${name}:${arch}`,
        version,
        publisher: maintainer.replace(/\s*<[^>]*>\s*$/, ''),
        source: 'dpkg',
        size: sizeOf(kilobytes, 1024),
        install_date: dayOf(Number(changed || NaN)),
        uninstall: null,
        ...(states.length === 0 ? {} : { states }),
      },
    ]
  })
}

function readStates({ want, errors, status }: Record<'want' | 'errors' | 'status', string>) {
  const found = [status, errors === 'reinstreq' ? 'reinstall' : '', want === 'hold' ? 'held' : '']
  return PACKAGE_STATES.filter((state) => found.includes(state))
}

/** Parses rpm with RPM_FORMAT. Signing keys are listed as packages and skipped. */
export function parseRpm(output: string): InstalledPackage[] {
  return output.split('\n').flatMap((line) => {
    const [name, version, arch, bytes = '', installed = '', vendor = ''] = line.split('\t')
    if (!name || version === undefined || name === 'gpg-pubkey') return []
    return [
      {
        // The other architecture of x86_64.
        name: arch === 'i686' || arch === 'i386' ? `${name}:${arch}` : name,
        version,
        publisher: vendor === '(none)' ? '' : vendor,
        source: 'rpm',
        size: sizeOf(bytes),
        install_date: dayOf(Number(installed || NaN)),
        uninstall: null,
      },
    ]
  })
}
