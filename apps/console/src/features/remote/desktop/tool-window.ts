/** Size of a window on a desktop. */
export const TOOL_WINDOW = 'noopener,popup,width=1600,height=900'
