import { findProgram } from './find-program.ts'

const INSTALLERS = ['apt-get', 'dnf', 'yum', 'zypper', 'apk'] as const

/** Packages whose names differ from those of their programs. */
const PACKAGES: Record<string, Partial<Record<(typeof INSTALLERS)[number], string>>> = {
  ping: { 'apt-get': 'iputils-ping', dnf: 'iputils', yum: 'iputils', zypper: 'iputils', apk: 'iputils' },
  journalctl: { 'apt-get': 'systemd', dnf: 'systemd', yum: 'systemd', zypper: 'systemd' },
  nft: { 'apt-get': 'nftables', dnf: 'nftables', yum: 'nftables', zypper: 'nftables', apk: 'nftables' },
  tar: { 'apt-get': 'tar', dnf: 'tar', yum: 'tar', zypper: 'tar', apk: 'tar' },
}

/** `ping is missing on this machine. To install it: apt-get install iputils-ping` */
export function describeMissing(program: string): string {
  const missing = `${program} is missing on this machine.`
  const installer = INSTALLERS.find((name) => findProgram(name) !== undefined)
  const name = installer === undefined ? undefined : PACKAGES[program]?.[installer]
  if (installer === undefined || name === undefined) return missing
  return `${missing} To install it: ${installer} ${installer === 'apk' ? 'add' : 'install'} ${name}`
}
