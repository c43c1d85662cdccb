name: (variable) @name
name: (~prefix_id (operator) @name)
names: (~binding_list name: (variable) @name)
names: (~binding_list name: (~prefix_id (operator) @name))
