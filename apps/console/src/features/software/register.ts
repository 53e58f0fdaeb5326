import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const softwareDialogs = {
  'package-files': () => import('./PackageFilesDialog.tsx').then((file) => file.PackageFilesDialog),
  'package-file': () => import('./PackageFileDialog.tsx').then((file) => file.PackageFileDialog),
} satisfies DialogLoaders
