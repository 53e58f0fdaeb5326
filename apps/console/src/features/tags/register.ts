import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const tagDialogs = {
  'change-tags': () => import('./ChangeTagsDialog.tsx').then((file) => file.ChangeTagsDialog),
  tags: () => import('./TagsDialog.tsx').then((file) => file.TagsDialog),
  tag: () => import('./TagDialog.tsx').then((file) => file.TagDialog),
} satisfies DialogLoaders
