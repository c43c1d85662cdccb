(arrow_function)
(function_expression)
(generator_function)
