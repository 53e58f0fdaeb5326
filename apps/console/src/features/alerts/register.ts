import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const alertDialogs = {
  availability: () => import('./AvailabilityDialog.tsx').then((file) => file.AvailabilityDialog),
  alert: () => import('./AlertDialog.tsx').then((file) => file.AlertDialog),
  'alert-channels': () => import('./channels/ChannelsDialog.tsx').then((file) => file.ChannelsDialog),
  'alert-channel': () => import('./channels/ChannelDialog.tsx').then((file) => file.ChannelDialog),
  'alert-templates': () => import('./templates/TemplatesDialog.tsx').then((file) => file.TemplatesDialog),
  'alert-template': () => import('./templates/TemplateDialog.tsx').then((file) => file.TemplateDialog),
  'assign-template': () => import('./templates/AssignDialog.tsx').then((file) => file.AssignDialog),
  'alert-preview': () => import('./templates/PreviewDialog.tsx').then((file) => file.PreviewDialog),
  'escalation-chains': () => import('./escalations/ChainsDialog.tsx').then((file) => file.ChainsDialog),
  'escalation-chain': () => import('./escalations/ChainDialog.tsx').then((file) => file.ChainDialog),
  'on-call-schedules': () => import('./on-call/SchedulesDialog.tsx').then((file) => file.SchedulesDialog),
  'on-call-schedule': () => import('./on-call/ScheduleDialog.tsx').then((file) => file.ScheduleDialog),
} satisfies DialogLoaders
