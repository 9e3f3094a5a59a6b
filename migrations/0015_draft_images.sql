-- A product of the draft has a list of images, each with an alternative text.
UPDATE draft_products SET product = json_remove(
  json_set(product, '$.images', json_array(json_object('image', product ->> 'image', 'alt', ''))),
  '$.image'
) WHERE product ->> 'image' IS NOT NULL;
