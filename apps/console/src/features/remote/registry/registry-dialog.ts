/** The open dialog, about the shown key or one of its values. */
export type OpenDialog =
  | { what: 'new-key' | 'rename-key' | 'delete-key' | 'new-value' }
  | { what: 'edit-value' | 'rename-value' | 'delete-value'; name: string }
