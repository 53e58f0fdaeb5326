/** A line of a tree on screen; lines of closed branches are not in the list. */
export interface TreeLine {
  id: string
  /** The text that typed letters match. */
  label: string
  /** From 1. */
  level: number
  /** undefined = no children. */
  expanded?: boolean | undefined
  /** Position among its siblings, from 1. */
  position: number
  siblings: number
}

export type TreeMove =
  | { focus: number }
  | { toggle: number[]; expanded: boolean }
  | { select: number }
  | { menu: number }

/** The move for a key by the WAI-ARIA tree pattern; undefined = none. */
export function moveInTree(
  lines: readonly TreeLine[],
  focused: number,
  { key, shiftKey }: { key: string; shiftKey: boolean },
): TreeMove | undefined {
  const line = lines[focused]
  if (line === undefined) return undefined
  switch (key) {
    case 'ArrowDown':
      return focused + 1 < lines.length ? { focus: focused + 1 } : undefined
    case 'ArrowUp':
      return focused > 0 ? { focus: focused - 1 } : undefined
    case 'Home':
      return { focus: 0 }
    case 'End':
      return { focus: lines.length - 1 }
    case 'ArrowRight':
      if (line.expanded === false) return { toggle: [focused], expanded: true }
      return line.expanded === true ? { focus: focused + 1 } : undefined
    case 'ArrowLeft':
      if (line.expanded === true) return { toggle: [focused], expanded: false }
      return focusIf(findParent(lines, focused))
    case '*':
      return { toggle: findClosedSiblings(lines, focused), expanded: true }
    case 'Enter':
    case ' ':
      return { select: focused }
    case 'ContextMenu':
      return { menu: focused }
    case 'F10':
      return shiftKey ? { menu: focused } : undefined
    default:
      return undefined
  }
}

/** The next line after `focused`, wrapping around, whose label starts with the typed text. */
export function findTyped(lines: readonly TreeLine[], focused: number, typed: string): number | undefined {
  const wanted = typed.toLowerCase()
  // A second letter narrows the line that the first one found; a first letter moves to the next match.
  const start = typed.length > 1 ? focused : focused + 1
  for (let step = 0; step < lines.length; step += 1) {
    const index = (start + step) % lines.length
    if (lines[index]?.label.toLowerCase().startsWith(wanted)) return index
  }
  return undefined
}

function focusIf(index: number | undefined): TreeMove | undefined {
  return index === undefined ? undefined : { focus: index }
}

function findParent(lines: readonly TreeLine[], index: number): number | undefined {
  const level = lines[index]?.level ?? 1
  const parent = lines.slice(0, index).findLastIndex((line) => line.level < level)
  return parent < 0 ? undefined : parent
}

function findClosedSiblings(lines: readonly TreeLine[], index: number): number[] {
  const level = lines[index]?.level
  const isSameBranch = (from: number, to: number) =>
    lines.slice(Math.min(from, to), Math.max(from, to)).every((line) => line.level >= (level ?? 1))
  return lines.flatMap((line, at) =>
    line.level === level && line.expanded === false && isSameBranch(at, index) ? [at] : [],
  )
}
