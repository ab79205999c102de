import { type LimitNode, SqliteQueryCompiler, ValueNode } from 'kysely'

/**
 * SQLite plans a query by the value of its limit, so it prepares a statement with `limit ?` again whenever a value is bound: 25 to 250 µs
 * for each list. The value of an expression is not looked at.
 */
export class StableQueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    if (!ValueNode.is(node.limit)) {
      super.visitLimit(node)
      return
    }
    this.append('limit cast(')
    this.visitNode(node.limit)
    this.append(' as integer)')
  }
}
