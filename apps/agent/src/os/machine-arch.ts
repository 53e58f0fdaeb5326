const NAMES: Partial<Record<string, string>> = { x64: 'amd64', ia32: '386' }

/** The processor family under the name that installers use. */
export function machineArch(): string {
  return NAMES[process.arch] ?? process.arch
}
