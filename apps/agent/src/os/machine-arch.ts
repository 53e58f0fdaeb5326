const NAMES: Partial<Record<string, string>> = { x64: 'amd64', ia32: '386' }

/** The processor architecture as installers name it. */
export function machineArch(): string {
  return NAMES[process.arch] ?? process.arch
}
