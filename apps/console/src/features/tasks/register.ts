import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const taskDialogs = {
  'add-task': () => import('./TaskDialogs.tsx').then((file) => file.AddTaskDialog),
  'edit-task': () => import('./TaskDialogs.tsx').then((file) => file.EditTaskDialog),
  'remove-task': () => import('./TaskDialogs.tsx').then((file) => file.RemoveTaskDialog),
  'task-runs': () => import('./TaskRunsDialog.tsx').then((file) => file.TaskRunsDialog),
} satisfies DialogLoaders
