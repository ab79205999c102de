import { Type } from 'typebox'
import { closed, described, NullableInteger, orNull } from '../http/schemas.ts'
import { GROUP_BY_LENGTH_MAX, GROUP_BY_PATTERN } from './items/group-by-path.ts'

const GroupBy = orNull(
  Type.String({
    pattern: GROUP_BY_PATTERN,
    maxLength: GROUP_BY_LENGTH_MAX,
    description: 'The field of the metadata that names the group of an item, such as metadata.document; null for none.',
  }),
)

export const DatasetSettings = closed(
  {
    groupBy: GroupBy,
    groups: described(NullableInteger, 'The number of different values in this field; null without groupBy.'),
    itemsWithoutGroup: described(
      NullableInteger,
      'The items without a value in this field, each a group by itself; null without groupBy.',
    ),
  },
  { title: 'DatasetSettings' },
)

export const DatasetSettingsBody = closed({ groupBy: GroupBy })
