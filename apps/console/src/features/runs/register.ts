import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const runDialogs = {
  'send-command': () => import('./SendCommandDialog.tsx').then((file) => file.SendCommandDialog),
  'run-script': () => import('./RunScriptDialog.tsx').then((file) => file.RunScriptDialog),
} satisfies DialogLoaders
