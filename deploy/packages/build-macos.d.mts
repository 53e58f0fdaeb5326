export interface InstalledFolders {
  program: string
  data: string
}

export function makeScripts(folders?: InstalledFolders): Record<'install.sh' | 'uninstall.sh', string>
