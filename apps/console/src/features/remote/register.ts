import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const remoteDialogs = {
  vnc: () => import('./desktop/VncDialog.tsx').then((file) => file.VncDialog),
  'side-by-side': () => import('./SideBySideDialog.tsx').then((file) => file.SideBySideDialog),
  'remote-access': () => import('./access/RemoteAccessDialog.tsx').then((file) => file.RemoteAccessDialog),
} satisfies DialogLoaders
